/** Named sums of money and tokens. Each is the same text on both engines. */
export const sums: ReadonlyArray<readonly [name: string, text: string]> = [
  ["granted_nano_usd", "SELECT SUM(granted_nano_usd) FROM accounts"],
  ["granted_by_rows_nano_usd", "SELECT SUM(nano_usd) FROM grants"],
  ["settled_nano_usd", "SELECT SUM(settled_nano_usd) FROM accounts"],
  ["usage_nano_usd", "SELECT SUM(cost_nano_usd) FROM usage"],
  ["usage_tokens", "SELECT SUM(input_tokens + output_tokens) FROM usage"],
  ["usage_days_nano_usd", "SELECT SUM(cost_nano_usd) FROM usage_days"],
  ["usage_hours_nano_usd", "SELECT SUM(cost_nano_usd) FROM usage_hours"],
  ["upstream_nano_usd", "SELECT SUM(upstream_cost_nano_usd) FROM usage_hours"],
  ["keys_spent_nano_usd", "SELECT SUM(nano_usd) FROM key_spending"],
  ["held_nano_usd", "SELECT SUM(nano_usd) FROM holds"]
]
