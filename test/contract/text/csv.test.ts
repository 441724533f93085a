import { expect, it } from "vitest"
import { csv } from "../../../src/contract/text/csv.ts"

it.each(["=1+1", " =1", "@SUM(1)", "-1+1|cmd", "+1+1", "＝1", "＠a", "＋a", "－a", "\t=1"])(
  "%j is no formula of a spreadsheet",
  (cell) => {
    expect(csv(["name"], [[cell]])).toBe(`name\r\n'${cell}`)
  }
)

it.each(["-1.5", "+2", "a-b", "team=red", ""])("%j stays as it is", (cell) => {
  expect(csv(["name"], [[cell]])).toBe(`name\r\n${cell}`)
})
