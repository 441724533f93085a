import { createHmac } from "node:crypto"
import { Effect, Option, Redacted } from "effect"
import * as ApiKey from "./ApiKey.ts"
import { MasterSecret } from "./MasterSecret.ts"
import { Keys } from "./store/Keys.ts"
import { Configuration } from "../config/Configuration.ts"
import { BadSettings } from "../config/document.ts"
import type { AdminKey as Declared } from "../config/sections/AdminKey.ts"
import { Settings } from "../config/Settings.ts"
import type { LoadedFile } from "../config/Settings.ts"
import type { Acting } from "../contract/callers/Acting.ts"
import { grantOf } from "../contract/callers/roles.ts"
import { testDouble } from "../contract/testDouble.ts"

interface AdminKey {
  readonly acting: Acting
  readonly expiresAtMs: number
}

/** The keys of the admin API: `GATEWAY_ADMIN_KEY` and those of `admin_keys`, as the configuration has them now. */
export class AdminKeys extends Effect.Service<AdminKeys>()("gateway/access/AdminKeys", {
  dependencies: [Keys.Default],
  scoped: Effect.gen(function* () {
    const apiKeys = yield* Keys
    const clock = yield* Effect.clock
    const { adminKey } = yield* Settings
    const { derive } = yield* MasterSecret
    const pepper = Redacted.value(derive("console/operator"))
    /** Keyed with the master secret: an admin key may be a weak, chosen password that a plain hash would reveal. */
    const proofOf = (secret: string): string => createHmac("sha256", pepper).update(secret).digest("hex")

    let keys: ReadonlyMap<string, AdminKey> = new Map()
    let usualProof = ""

    const { follow } = yield* Configuration
    yield* follow((file) =>
      Effect.gen(function* () {
        const usual = file.variables?.GATEWAY_ADMIN_KEY ?? Option.getOrUndefined(Option.map(adminKey, Redacted.value))
        const next = new Map<string, AdminKey>()
        if (usual !== undefined) next.set(proofOf(usual), { acting: usualActing, expiresAtMs: Infinity })
        for (const [index, declared] of (file.value.admin_keys ?? []).entries()) {
          const proof = proofOf(Redacted.value(declared.secret))
          const at = `admin_keys[${index}]`
          if (next.has(proof)) {
            return yield* file.complain(["admin_keys", index, "secret"], `${at}.secret: another admin key has the same`)
          }
          if ([...next.values()].some(({ acting }) => acting.name === declared.name)) {
            return yield* file.complain(["admin_keys", index, "name"], `${at}.name: another admin key has the same`)
          }
          next.set(proof, declaredKey(declared))
        }
        const secrets = [
          ...(usual === undefined ? [] : [{ name: "GATEWAY_ADMIN_KEY", secret: usual }]),
          ...(file.value.admin_keys ?? []).map(({ name, secret }) => ({ name, secret: Redacted.value(secret) }))
        ]
        for (const { name, secret } of secrets) {
          if (Option.isSome(yield* apiKeys.open(ApiKey.hash(secret)))) {
            return yield* new BadSettings({ message: `${name}: is also an API key; an admin key must not be one` })
          }
        }
        return () => {
          keys = next
          usualProof = usual === undefined ? "" : proofOf(usual)
        }
      })
    )

    /** Whom a stored proof opens the admin API for; undefined if no key has it, or if that one has expired. */
    const ofProof = (proof: string): Acting | undefined => {
      // Links, where there is no key.
      if (proof === "" && usualProof === "") return usualActing
      const key = keys.get(proof)
      return key !== undefined && key.expiresAtMs > clock.unsafeCurrentTimeMillis() ? key.acting : undefined
    }

    return {
      proofOf,
      ofProof,
      /** The proof of `GATEWAY_ADMIN_KEY`, which links stand for; empty without one. */
      usualProof: () => usualProof,
      /** True if any key opens the admin API. */
      isAny: () => keys.size > 0
    } as const
  })
}) {
  /** For tests: a member that is not given dies when it is used. */
  static readonly Test = (given: Partial<Omit<AdminKeys, "_tag">>) => testDouble(AdminKeys, given)
}

/** The one who acts with `GATEWAY_ADMIN_KEY`. */
export const usualActing: Acting = {
  role: "operator",
  ...grantOf("operator", { accounts: undefined, bodies: true }),
  name: "admin-key",
  via: "admin-key"
}

const declaredKey = ({ accounts, bodies, expires_at, name, role }: Declared): AdminKey => ({
  acting: { role, ...grantOf(role, { accounts, bodies: bodies === true }), name, via: name },
  expiresAtMs: expires_at === undefined ? Infinity : Date.parse(expires_at)
})

/** True if a configuration begins with a key of the admin API. */
export const hasAdminKey = (
  { adminKey }: { readonly adminKey: Option.Option<unknown> },
  { value }: Pick<LoadedFile, "value">
): boolean => Option.isSome(adminKey) || (value.admin_keys ?? []).length > 0
