import { expect, it } from "@effect/vitest"
import { anyRow, columnNames, columns, pushValues } from "../../src/ledger/store/usageRows.ts"

it("a row by its columns' names has the values that it has by their places, in one order", () => {
  const values: Array<string | number> = []
  const row = { ...anyRow, atMs: 1, requestId: "req_2", model: "m", price: "p", costNanoUsd: 3 }
  pushValues(values, row)
  expect(Object.entries(columns(row))).toEqual(columnNames.map((name, place) => [name, values[place]]))
})
