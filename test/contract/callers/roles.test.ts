import { describe, expect, it } from "vitest"
import { kindOf, reachOf, rolesOf } from "../../../src/people/signIn/reach.ts"
import { Role } from "../../../src/contract/callers/Acting.ts"
import { grantOf, reachOfRole, roles } from "../../../src/contract/callers/roles.ts"
import type { OperationKind } from "../../../src/contract/callers/roles.ts"

const kinds = [...new Set(Object.values(kindOf))] as const

describe("the table of roles", () => {
  it("gives the operator everything, and another role nothing that an operator alone does", () => {
    for (const role of Role.literals) {
      const reached = kinds.filter((kind) => reachOfRole({ role, accounts: "all" }, kind) !== "none")
      if (role === "operator") expect(reached).toEqual(kinds)
      else expect(reached).not.toContain("operates" satisfies OperationKind)
    }
  })

  it("leaves an operation that it does not know to the operator", () => {
    const reached = Role.literals.filter((role) => reachOf({ role, accounts: "all" }, "adminKeys.unheardOf") !== "none")
    expect(reached).toEqual(["operator"])
    expect(rolesOf("adminKeys.unheardOf")).toBeUndefined()
  })

  it("narrows what reaches all to the accounts that the file names", () => {
    const narrowed = (kind: OperationKind) => reachOfRole({ role: "auditor", accounts: ["mine"] }, kind)
    expect(kinds.map((kind) => [kind, narrowed(kind)])).toEqual(
      kinds.map((kind) => [kind, roles.auditor.reach[kind] === "all" ? roles.manager.reach[kind] : "none"])
    )
  })

  it("grants no account to a role that needs some and has none", () => {
    const none = { accounts: undefined, bodies: false }
    expect(Role.literals.map((role) => [role, grantOf(role, none)])).toEqual([
      ["operator", { accounts: "all", bodies: true }],
      ["auditor", { accounts: "all", bodies: false }],
      ["manager", { accounts: [], bodies: false }],
      ["member", { accounts: [], bodies: false }],
      ["metrics", { accounts: "all", bodies: false }]
    ])
  })

  it("names the roles that reach an operation, and whose records", () => {
    expect(rolesOf("adminKeys.create")).toEqual({ operator: "all", manager: "accounts", member: "own" })
    expect(rolesOf("pages.metrics")).toEqual({ operator: "all", auditor: "all", metrics: "all" })
  })
})
