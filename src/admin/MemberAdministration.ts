import { Clock, Effect } from "effect"
import { Accounts } from "../access/store/Accounts.ts"
import type { RoleRule } from "../config/sections/SignIn.ts"
import { reachesAccount } from "../contract/callers/Acting.ts"
import { NotFound } from "../contract/failures/Failure.ts"
import { nameOfPerson } from "../people/actingOfPerson.ts"
import { roleOf } from "../people/roleOf.ts"
import { People } from "../people/store/People.ts"
import { isoTime } from "./fields.ts"
import type { MemberRecord } from "./MemberRecord.ts"

/** The people of an account. */
export class MemberAdministration extends Effect.Service<MemberAdministration>()("gateway/admin/MemberAdministration", {
  dependencies: [Accounts.Default, People.Default],
  effect: Effect.gen(function* () {
    const accounts = yield* Accounts
    const people = yield* People

    /**
     * People whose role reaches the account, by name.
     *
     * @param rules those of the configuration; none without `sign_in`
     */
    const list = (
      account: string,
      rules: ReadonlyArray<RoleRule>
    ): Effect.Effect<ReadonlyArray<MemberRecord>, NotFound> =>
      Effect.gen(function* () {
        if (!(yield* accounts.isThere(account))) {
          return yield* new NotFound({ param: null, message: `no account "${account}"` })
        }
        if (rules.length === 0) return []
        const found = yield* people.inAccount(account, yield* Clock.currentTimeMillis)
        return found.flatMap((person): ReadonlyArray<MemberRecord> => {
          const role = roleOf(rules, person)
          if (role === undefined) return []
          if (role.accounts !== "all" && !reachesAccount(role.accounts, account)) return []
          return [
            {
              object: "member",
              person: person.id,
              name: nameOfPerson(person),
              role: role.role,
              keys: person.active_keys,
              last_seen_at: isoTime(Math.max(person.seen_at, person.session_used_at ?? 0, person.key_used_at ?? 0)),
              confirmed_at: isoTime(person.checked_at)
            }
          ]
        })
      }).pipe(Effect.catchTag("SqlError", Effect.die))

    return { list } as const
  })
}) {}
