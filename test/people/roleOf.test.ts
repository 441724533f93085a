import { describe, expect, it } from "vitest"
import { identityOf } from "../../src/people/Claims.ts"
import { roleOf } from "../../src/people/roleOf.ts"
import type { RoleRule } from "../../src/config/sections/SignIn.ts"

const rules: ReadonlyArray<RoleRule> = [
  { group: "platform", role: "operator" },
  { group: "audit", role: "auditor", bodies: true },
  { group: "team-*", role: "manager", accounts: ["{group}"] },
  { email: "Lead@corp.test", role: "manager", accounts: ["lead", "shared-*"] },
  { domain: "Corp.test", role: "member", accounts: ["everybody"] }
]
const of = (groups: ReadonlyArray<string>, email = "") => roleOf(rules, { groups, email })

describe("a person's role", () => {
  it("is that of the rules that match, and of no other", () => {
    expect(of(["platform"])).toEqual({ role: "operator", accounts: "all", bodies: true })
    expect(of(["audit"])).toEqual({ role: "auditor", accounts: "all", bodies: true })
    expect(of([], "ann@corp.test")).toEqual({ role: "member", accounts: ["everybody"], bodies: false })
    for (const groups of [[], ["Platform"], ["platform2"], ["team"], [""]]) expect(of(groups)).toBeUndefined()
    for (const email of ["ann@evilcorp.test", "ann@corp.test.evil.test", "corp.test", "ann@x.corp.test"]) {
      expect(of([], email)).toBeUndefined()
    }
  })

  it("is the widest one, with the accounts of all rules that give it and of no narrower one", () => {
    expect(of(["team-b", "team-a"], "lead@corp.test")).toEqual({
      role: "manager",
      accounts: ["team-b", "team-a", "lead", "shared-*"],
      bodies: false
    })
    expect(of(["team-a", "audit"])?.role).toBe("auditor")
    expect(of(["audit", "platform"])?.role).toBe("operator")
  })

  it("makes no pattern of a group's name", () => {
    expect(of(["team-*"])).toBeUndefined()
    expect(of(["team-*", "team-a"])?.accounts).toEqual(["team-a"])
    expect(of(["team-$&"])?.accounts).toEqual(["team-$&"])
  })
})

describe("the claims of a provider", () => {
  const read = (...sources: ReadonlyArray<Record<string, unknown>>) =>
    identityOf("https://id.test", "1", sources, "groups")

  it("count with a verified address alone, by one source", () => {
    expect(read({ email: "Ann@Corp.test", email_verified: true }).email).toBe("ann@corp.test")
    for (const email_verified of [false, "true", 1, undefined]) {
      expect(read({ email: "ann@corp.test", email_verified }).email).toBe("")
    }
    expect(read({ email: "boss@corp.test" }, { email: "ann@corp.test", email_verified: true }).email).toBe("")
    expect(read({ email_verified: true }, { email: "ann@corp.test" }).email).toBe("")
    for (const email of ["ann", "a b@corp.test", "a@b@corp.test", 1]) {
      expect(read({ email, email_verified: true }).email).toBe("")
    }
  })

  it("are read in whatever form, and bounded", () => {
    expect(read({}, { groups: ["a", 1, "", null, "x".repeat(257)] }).groups).toEqual(["a"])
    expect(read({ groups: "one" }).groups).toEqual(["one"])
    expect(read({ groups: { a: 1 } }).groups).toEqual([])
    expect(read({ groups: Array.from({ length: 2_000 }, (_, at) => `g${at}`) }).groups).toHaveLength(1_000)
    expect(read({ name: "n".repeat(1_000) }).name).toHaveLength(256)
  })

  it("say that a provider cut the groups", () => {
    expect(read({ _claim_names: { groups: "src1" } }).isCut).toBe(true)
    expect(read({ hasgroups: true }).isCut).toBe(true)
    expect(read({ _claim_names: { roles: "src1" } }).isCut).toBe(false)
    expect(read({ groups: ["a"], hasgroups: true }).isCut).toBe(false)
  })
})
