//! Leading-import separation.
