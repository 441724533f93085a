import { useSignal } from "@preact/signals"
import { useRef } from "preact/hooks"
import { actingIn } from "../actingIn.ts"
import { useApp } from "../hooks/useApp.ts"
import type { Session } from "../session.ts"
import { words } from "../words/words.ts"

interface AccountChoiceProps {
  readonly session: Session
}

/** The account that is acted in, where a role reaches several. */
export const AccountChoice = ({ session }: AccountChoiceProps) => {
  const { accounts, more_accounts: isCut = false } = session
  if (accounts === undefined || accounts === null || accounts.length < 2) return null
  if (isCut) return <AccountSearch first={accounts} />
  return (
    <select
      class="select nav-account"
      aria-label={words.frame.account}
      value={actingIn.account()}
      onChange={({ currentTarget }) => actingIn.choose(currentTarget.value)}
    >
      {accounts.map((account) => (
        <option key={account} value={account}>
          {account}
        </option>
      ))}
    </select>
  )
}

/** A choice of more accounts than a list can show: typing finds them. */
const AccountSearch = ({ first }: { readonly first: ReadonlyArray<string> }) => {
  const { client } = useApp()
  const found = useSignal(first)
  const last = useRef(0)
  const find = async (account: string): Promise<ReadonlyArray<string>> => {
    const asked = ++last.current
    const answer = await client.console((console) => console.session.show({ urlParams: { account } }))
    const ids = answer.signed_in ? (answer.accounts ?? []) : []
    // Answers may come in another order.
    if (asked === last.current) found.value = ids
    return ids
  }
  const choose = async (input: HTMLInputElement) => {
    const account = input.value.trim()
    const ids = await find(account).catch((): ReadonlyArray<string> => [])
    if (ids.includes(account)) actingIn.choose(account)
    else input.value = actingIn.account() ?? ""
  }
  return (
    <>
      <input
        class="input nav-account"
        aria-label={words.frame.account}
        list="nav-accounts"
        autocomplete="off"
        spellcheck={false}
        defaultValue={actingIn.account() ?? ""}
        onFocus={({ currentTarget }) => currentTarget.select()}
        onInput={({ currentTarget }) => void find(currentTarget.value.trim()).catch(ignored)}
        onChange={({ currentTarget }) => void choose(currentTarget)}
      />
      <datalist id="nav-accounts">
        {found.value.map((account) => (
          <option key={account} value={account} />
        ))}
      </datalist>
    </>
  )
}

/** The list stays as it was; the next letter asks again. */
const ignored = () => {}
