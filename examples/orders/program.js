async () => {
  const rows = await store.listOrders('ada')

  console.log(`ada has ${rows.length} orders`)

  return rows.reduce((sum, order) => sum + order.total, 0)
}
