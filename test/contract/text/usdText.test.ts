import { expect, it } from "vitest"
import { costText, usdText } from "../../../src/contract/text/usdText.ts"

it("shows four digits of an amount, and never less than cents", () => {
  expect(
    [1_234_567.5, 1_000, 123.456, 12.345, 9.99996, 1.2345, 1, 0.5, 0.12345, 0.000012345, 1e-9, -0.25, 0].map(usdText)
  ).toEqual([
    "$1,234,567.50",
    "$1,000.00",
    "$123.46",
    "$12.35",
    "$10.00",
    "$1.235",
    "$1.00",
    "$0.50",
    "$0.1235",
    "$0.00001235",
    "$0.000000001",
    "-$0.25",
    "$0.00"
  ])
})

it("says that something costs nothing", () => {
  expect([0, 0.000001].map(costText)).toEqual(["free", "$0.000001"])
})
