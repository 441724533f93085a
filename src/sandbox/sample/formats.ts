/** Example values of JSON Schema's formats, by array index. */
export const formats: ReadonlyMap<string, (index: number) => string> = new Map([
  ["date", (index) => `2025-01-${String((index % 28) + 1).padStart(2, "0")}`],
  ["date-time", (index) => `2025-01-${String((index % 28) + 1).padStart(2, "0")}T12:00:00Z`],
  ["time", (index) => `12:${String(index % 60).padStart(2, "0")}:00Z`],
  ["duration", (index) => `PT${index + 1}H`],
  ["email", (index) => `user${index + 1}@example.com`],
  ["idn-email", (index) => `user${index + 1}@example.com`],
  ["hostname", (index) => `host${index + 1}.example.com`],
  ["ipv4", (index) => `192.0.2.${(index % 254) + 1}`],
  ["ipv6", (index) => `2001:db8::${(index + 1).toString(16)}`],
  ["uri", (index) => `https://example.com/${index + 1}`],
  ["url", (index) => `https://example.com/${index + 1}`],
  ["uri-reference", (index) => `/items/${index + 1}`],
  ["uuid", (index) => `00000000-0000-4000-8000-${String(index + 1).padStart(12, "0")}`]
])
