import { signal } from "@preact/signals"

/** The accounts of a session's role, by id; null: all at once. */
interface Reaching {
  readonly accounts?: ReadonlyArray<string> | null | undefined
}

const chosen = signal<string | undefined>(undefined)

/** The account that a manager or a member acts in; undefined for others, who see all. */
export const actingIn = {
  account: (): string | undefined => chosen.value,
  /** The account of a link, which carries no header. */
  query: (): { readonly account?: string } => (chosen.value === undefined ? {} : { account: chosen.value }),
  begin: (session: Reaching | undefined): void => {
    chosen.value = session?.accounts?.[0]
  },
  choose: (account: string): void => {
    chosen.value = account
  }
}
