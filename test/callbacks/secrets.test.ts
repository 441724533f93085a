import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqlClient } from "@effect/sql"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { MasterSecret } from "../../src/access/MasterSecret.ts"
import { WebhookSecrets } from "../../src/access/WebhookSecrets.ts"
import { AccountId } from "../../src/contract/callers/Caller.ts"
import { account, owner, secretsLayer, storage } from "./world.ts"
import { adjust } from "../sql/clock.ts"
import { describeOnEach } from "../sql/engines.ts"

const folder = mkdtempSync(join(tmpdir(), "gateway-secret-"))
afterAll(() => rmSync(folder, { recursive: true }))

const master = (given: string | undefined, directory = folder) =>
  MasterSecret.layer({ given: Option.map(Option.fromNullable(given), Redacted.make), directory })

const derived = (given: string | undefined, directory?: string) =>
  Effect.map(MasterSecret, ({ derive }) => Buffer.from(Redacted.value(derive("test"))).toString("hex")).pipe(
    Effect.provide(master(given, directory))
  )

const chosen = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
const earlier = `whsec_${Buffer.alloc(24, 8).toString("base64")}`
const defaultAccount = AccountId.make("default")

const withSecrets = (own?: string) =>
  secretsLayer(own === undefined ? undefined : Redacted.make(own)).pipe(Layer.provideMerge(storage()))

const signing = (id: AccountId) =>
  Effect.flatMap(WebhookSecrets, (secrets) => Effect.map(secrets.signing(id), (all) => all.map(Redacted.value)))

describe("the master secret", () => {
  it.effect("is made at the first start, for its owner's eyes, and is the same ever after", () =>
    Effect.gen(function* () {
      const directory = join(folder, "first/start")
      const first = yield* derived(undefined, directory)
      expect(statSync(join(directory, "secret")).mode & 0o777).toBe(0o600)
      expect(readdirSync(directory)).toEqual(["secret"])
      expect(readFileSync(join(directory, "secret"), "utf8").trim()).toHaveLength(64)
      expect(yield* derived(undefined, directory)).toBe(first)
      expect(yield* derived(undefined, join(folder, "elsewhere"))).not.toBe(first)
      expect(yield* derived("x".repeat(32), directory)).not.toBe(first)
    })
  )

  it.effect("is refused when empty or short, in one line that doesn't repeat it", () =>
    Effect.gen(function* () {
      for (const given of ["", "short", "x".repeat(31)]) {
        const { message } = yield* Effect.flip(derived(given))
        expect(message).toBe(`GATEWAY_SECRET: expected a secret of 32 or more characters; got ${given.length}`)
      }
      writeFileSync(join(folder, "secret"), "tampered\n")
      expect((yield* Effect.flip(derived(undefined))).message).toContain(
        "expected a secret of 32 or more characters; got 8"
      )
      expect((yield* Effect.flip(derived(undefined, "/dev/null/no"))).message).toContain("set GATEWAY_SECRET")
    })
  )
})

describeOnEach("webhook secrets", () => {
  it.effect("differ by account, are spelled whsec_, and no row holds them", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* account(owner)
      const [one = ""] = yield* signing(owner)
      const [other = ""] = yield* signing(AccountId.make("acc_other"))
      expect(one).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
      expect(one).not.toBe(other)
      expect(yield* signing(owner)).toEqual([one])
      expect(JSON.stringify(yield* sql`SELECT * FROM accounts`)).not.toContain(one.slice(6))
    }).pipe(Effect.provide(withSecrets()))
  )

  it.effect("rotate: for two days both sign, the new one first, then only the new one", () =>
    Effect.gen(function* () {
      const secrets = yield* WebhookSecrets
      yield* account(owner)
      const [old] = yield* signing(owner)
      yield* adjust("1 hour")
      const fresh = Redacted.value(yield* secrets.rotate(owner))
      expect(yield* signing(owner)).toEqual([fresh, old])
      yield* adjust("47 hours")
      expect(yield* signing(owner)).toEqual([fresh, old])
      yield* adjust("1 hour")
      expect(yield* signing(owner)).toEqual([fresh])
      expect((yield* Effect.flip(secrets.rotate(AccountId.make("nobody")))).message).toContain("nobody")
    }).pipe(Effect.provide(withSecrets()))
  )

  it.effect("of the default account are the operator's own where one is given; the others' are not", () =>
    Effect.gen(function* () {
      const secrets = yield* WebhookSecrets
      expect(yield* signing(defaultAccount)).toEqual([chosen, earlier])
      expect(yield* signing(owner)).not.toContain(chosen)
      expect((yield* Effect.flip(secrets.rotate(defaultAccount))).message).toContain("GATEWAY_WEBHOOK_SECRET")
    }).pipe(Effect.provide(withSecrets(`${chosen} ${earlier}`)))
  )

  it.effect("are refused at start when empty, short or not base64", () =>
    Effect.gen(function* () {
      for (const bad of [
        "",
        " ",
        "whsec_",
        "whsec_c2hvcnQ=",
        "not base64 at all",
        `whsec_${"A".repeat(31)}`,
        `${chosen} whsec_`
      ]) {
        const failure = yield* Effect.flip(
          Layer.build(
            WebhookSecrets.layer(Redacted.make(bad)).pipe(
              Layer.provide(master("x".repeat(32))),
              Layer.provide(storage())
            )
          )
        )
        expect(failure.message).toBe(
          "GATEWAY_WEBHOOK_SECRET: expected whsec_ followed by the base64 of 24 to 64 random bytes"
        )
      }
    }).pipe(Effect.scoped)
  )

  it.effect("are not shown by what prints them", () =>
    Effect.gen(function* () {
      const [secret] = yield* Effect.flatMap(WebhookSecrets, (secrets) => secrets.signing(owner))
      expect(JSON.stringify({ secret })).toBe('{"secret":"<redacted>"}')
    }).pipe(Effect.provide(withSecrets()))
  )
})
