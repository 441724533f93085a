import type { AccountRecord } from "../src/admin/AccountRecord.ts"
import type { KeyRecord } from "../src/admin/KeyRecord.ts"
import type { Client } from "./client.ts"
import { reaches } from "./reaches.ts"
import type { Session } from "./session.ts"

/** Lists that many pages need for choices and names. */
export const makeCatalogue = (client: Client, session: Session) => {
  const known: {
    keys: Promise<ReadonlyArray<KeyRecord>> | undefined
    accounts: Promise<ReadonlyArray<AccountRecord>> | undefined
    models: Promise<ReadonlyArray<string>> | undefined
  } = { keys: undefined, accounts: undefined, models: undefined }

  const everyKey = async (): Promise<ReadonlyArray<KeyRecord>> => {
    if (session.kind === "account") return []
    const rows: Array<KeyRecord> = []
    let after: string | undefined
    do {
      const start = after
      const page = await client.admin((admin) =>
        admin.adminKeys.list({
          urlParams: { all: "true", limit: 1_000, ...(start === undefined ? {} : { after: start }) }
        })
      )
      rows.push(...page.data)
      after = page.next ?? undefined
    } while (after !== undefined)
    return rows
  }
  const everyAccount = async (): Promise<ReadonlyArray<AccountRecord>> => {
    if (session.kind === "account" || !reaches(session, "adminAccounts.list")) return []
    const rows: Array<AccountRecord> = []
    let after: string | undefined
    do {
      const start = after
      const page = await client.admin((admin) =>
        admin.adminAccounts.list({ urlParams: { limit: 1_000, ...(start === undefined ? {} : { after: start }) } })
      )
      rows.push(...page.data)
      after = page.next ?? undefined
    } while (after !== undefined)
    return rows
  }

  const keys = () => (known.keys ??= forgotten(everyKey(), () => (known.keys = undefined)))
  const accounts = () => (known.accounts ??= forgotten(everyAccount(), () => (known.accounts = undefined)))

  /** The models that a key may use. */
  const modelsOf = async (keyId: string | undefined): Promise<ReadonlyArray<string>> => {
    const page = await client.own((own) => own.models.list({ urlParams: {} }), keyId)
    return page.data.map(({ id }) => id).sort()
  }
  /** All served models; for an account, those of its key. */
  const models = () =>
    (known.models ??= forgotten(
      session.kind === "account"
        ? modelsOf(undefined)
        : client
            .admin((admin) => admin.adminOperations.models({ urlParams: {} }))
            .then(({ data }) => data.map(({ id }) => id).toSorted()),
      () => (known.models = undefined)
    ))

  return {
    keys,
    accounts,
    models,
    modelsOf,
    /** A key's name, if it is known. */
    keyName: async (id: string) => (await keys()).find((key) => key.id === id)?.name ?? id,
    forget(what: "keys" | "accounts" | "models") {
      known[what] = undefined
    }
  }
}
export type Catalogue = ReturnType<typeof makeCatalogue>

/** A failed list is requested again the next time. */
const forgotten = <A>(list: Promise<A>, forget: () => void): Promise<A> => {
  list.catch(forget)
  return list
}
