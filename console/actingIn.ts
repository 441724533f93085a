import { signal } from "@preact/signals"

/** The accounts that a session's role reaches. */
interface Reaching {
  readonly accounts?: ReadonlyArray<string> | null | undefined
}

const chosen = signal<string | undefined>(undefined)

/** The accounts to choose from, where a role reaches several; patterns name none. */
export const choices = ({ accounts }: Reaching): ReadonlyArray<string> => {
  const named = (accounts ?? []).filter((account) => !account.endsWith("*"))
  return named.length > 1 ? named : []
}

/** The account that a manager or a member of several acts in; undefined for others. */
export const actingIn = {
  account: (): string | undefined => chosen.value,
  begin: (session: Reaching | undefined): void => {
    chosen.value = session === undefined ? undefined : choices(session)[0]
  },
  choose: (account: string): void => {
    chosen.value = account
  }
}
