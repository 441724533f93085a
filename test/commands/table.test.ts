import { describe, expect, it } from "vitest"
import { withSeparators, fields, listTable, table } from "../../src/commands/table.ts"

describe("a table", () => {
  it("is as wide as its cells, and has numbers at the right", () => {
    expect(
      table(
        ["NAME", "COUNT", "USD"],
        [
          ["a", "1", "$0.50"],
          ["longer", "1,000", "$12.00"]
        ]
      )
    ).toBe("NAME    COUNT     USD\na           1   $0.50\nlonger  1,000  $12.00")
  })

  it("counts the columns that letters take in a terminal", () => {
    expect(
      table(
        ["NAME", "STATUS"],
        [
          ["鍵の名前", "active"],
          ["key", "active"]
        ]
      )
    ).toBe("NAME      STATUS\n鍵の名前  active\nkey       active")
  })

  it("breaks cells of several words where a terminal is too narrow, and no word", () => {
    const lines = table(
      ["ID", "LIMITS"],
      [["key_0123456789", "60 requests/min, 1000 tokens/min, 3 tasks at once"]],
      40
    ).split("\n")
    expect(lines).toEqual([
      "ID              LIMITS",
      "key_0123456789  60 requests/min, 1000",
      "                tokens/min, 3 tasks at",
      "                once"
    ])
    const wide = table(
      ["ID", "NAME", "NOTE"],
      [
        ["key_0123456789", "a", ""],
        ["key_9876543210", "b", "some"]
      ],
      12
    )
    expect(wide).toBe("id    key_0123456789\nname  a\n\nid    key_9876543210\nname  b\nnote  some")
  })

  it("leaves columns out that have no value where a terminal is too narrow", () => {
    expect(table(["NAME", "BUDGET", "USED"], [["laptop", "0", "now"]], 14)).toBe("NAME    USED\nlaptop  now")
    expect(table(["NAME", "BUDGET", "USED"], [["laptop", "", "now"]], 80)).toBe(
      "NAME    BUDGET  USED\nlaptop          now"
    )
  })

  it("has whole numbers as people read them", () => {
    expect(["999", "1000", "1234567", "1.5", "2026-01-01"].map(withSeparators)).toEqual([
      "999",
      "1,000",
      "1,234,567",
      "1.5",
      "2026-01-01"
    ])
  })
})

describe("a list", () => {
  const header = ["ID", "ACCOUNT", "NOTE", "LIMITS"]
  const rows = [
    ["key_1", "team", "", "60 requests a minute"],
    ["key_2", "team", "", ""]
  ]
  const rare = ["LIMITS", "ACCOUNT"]

  it("leaves rare columns out until each row has one line, and says so", () => {
    expect(listTable(header, rows, { rare, wide: false, width: 15 })).toBe(
      "ID     ACCOUNT\nkey_1  team\nkey_2  team\n\n--wide shows\nLIMITS too"
    )
  })

  it("has every column where they fit, or where they are asked for", () => {
    const all = "ID     ACCOUNT  NOTE  LIMITS\nkey_1  team           60 requests a minute\nkey_2  team"
    expect(listTable(header, rows, { rare, wide: false, width: 80 })).toBe(all)
    expect(listTable(header, rows, { rare, wide: true, width: 10 })).toBe(all)
  })

  it("cuts words, and no id, where nothing rare is left", () => {
    expect(
      listTable(["ID", "NOTE"], [["key_0123456789", "a note of many words"]], { rare: [], wide: false, width: 28 })
    ).toBe("ID              NOTE\nkey_0123456789  a note of m…")
  })

  const budgets = [
    ["key_0123456789abcdef", "laptop (key_0123456789abcdef)", "a team with spaces", "$1.00 of $5.00 a month"],
    ["key_fedcba9876543210", "", "team", "$2.00 of $5.00 a month"]
  ]
  const heads = ["ID", "KEY", "ACCOUNT", "BUDGET"]

  it("shortens ids before it leaves anything out", () => {
    expect(listTable(heads, budgets, { ids: ["ID", "KEY"], rare: ["ACCOUNT"], wide: false, width: 70 })).toBe(
      "ID           KEY     ACCOUNT             BUDGET\n" +
        "key_…abcdef  laptop  a team with spaces  $1.00 of $5.00 a month\n" +
        "key_…543210          team                $2.00 of $5.00 a month\n\n" +
        "--wide shows whole ids too"
    )
    expect(listTable(heads, budgets, { ids: ["ID", "KEY"], rare: ["ACCOUNT"], wide: false, width: 45 })).toMatch(
      /^ID +KEY +BUDGET\n.*\n.*\n\n--wide shows whole ids, ACCOUNT too$/
    )
  })

  it("cuts no amount, and wraps an answer rather than cutting it", () => {
    const said = listTable(heads, budgets, { ids: ["ID", "KEY"], rare: [], wide: false, width: 54 })
    expect(said).toContain("a team wi…")
    expect(said).toContain("$1.00 of $5.00 a month")
    const wrapped = listTable(heads, budgets, {
      ids: ["ID", "KEY"],
      answers: ["ACCOUNT"],
      rare: [],
      wide: false,
      width: 54
    })
    expect(wrapped).toMatch(/a team +\$1\.00[^\n]*\n +with\n +spaces$/m)
  })
})

describe("fields", () => {
  it("are wrapped to the terminal, behind their names", () => {
    expect(fields({ id: "req_1", why: "A budget is used up." }, 20)).toBe("id   req_1\nwhy  A budget is\n     used up.")
  })
})
