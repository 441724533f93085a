import { useSignal } from "@preact/signals"
import { useLayoutEffect } from "preact/hooks"
import type { AccountRecord } from "../../src/admin/AccountRecord.ts"
import { settingTexts } from "../../src/contract/callers/accountSettings.ts"
import { isNotFound } from "../client.ts"
import { dollars, number, usd, utc } from "../format.ts"
import { useApp } from "../hooks/useApp.ts"
import { useData } from "../hooks/useData.ts"
import { useShortcuts } from "../hooks/useShortcuts.ts"
import { limitsText } from "../keyText.ts"
import { Block } from "../parts/Block.tsx"
import { Button } from "../parts/Button.tsx"
import { Menu } from "../parts/Menu.tsx"
import type { MenuItem } from "../parts/Menu.tsx"
import { Part } from "../parts/states.tsx"
import { Status } from "../parts/Status.tsx"
import { Fact, Facts, Faint, None, PageHead } from "../parts/text.tsx"
import { reaches } from "../reaches.ts"
import { hrefOf } from "../router.ts"
import { words } from "../words/words.ts"
import { AccountDialogs } from "./AccountDialogs.tsx"
import type { AccountDialog } from "./accountDialog.ts"
import { AccountChanges, AccountKeys, AccountRequests, AccountTasks } from "./AccountLists.tsx"
import { AccountMembers } from "./AccountMembers.tsx"
import { AccountBudgetList, AccountModelList } from "./AccountRules.tsx"
import { AccountSpend } from "./AccountSpend.tsx"

const text = words.account

const Money = ({ of: account }: { readonly of: AccountRecord }) => (
  <div class="figure-facts">
    <Facts isBig>
      <Fact name={text.facts.available}>
        {account.available === null ? <Faint>{words.accounts.noEnd}</Faint> : usd(dollars(account.available))}
      </Fact>
      <Fact name={text.facts.settled}>{usd(dollars(account.settled))}</Fact>
      <Fact name={text.facts.held}>{usd(dollars(account.held))}</Fact>
      <Fact name={text.facts.keys}>{number(account.keys)}</Fact>
    </Facts>
  </div>
)

const Settings = ({ edit, of: account }: { readonly of: AccountRecord; readonly edit: () => void }) => {
  const { allowed, blocked } = account.search_domains
  return (
    <Block
      title={text.facts.settings}
      actions={
        <Button look="small" needs="adminAccounts.update" onClick={edit}>
          {text.settings}
        </Button>
      }
    >
      <Facts>
        <Fact name={text.facts.limits} isWide>
          {limitsText(account.limits) ?? <None />}
        </Fact>
        <Fact name={text.facts.webhook} isWide>
          {account.webhook_url ?? <None />}
        </Fact>
        {(allowed !== null || blocked !== null) && (
          <Fact name={text.facts.search} isWide>
            {[
              ...(allowed === null ? [] : [text.finds(allowed.join(", "))]),
              ...(blocked === null ? [] : [text.neverFinds(blocked.join(", "))])
            ].join("; ")}
          </Fact>
        )}
        {account.unpriced !== null && <Fact name={text.facts.unpriced}>{account.unpriced}</Fact>}
        {settingTexts(account, number).map(({ heading, name, text: value }) => (
          <Fact key={name} name={heading}>
            {value}
          </Fact>
        ))}
        {account.declared.length > 0 && (
          <Fact name={text.facts.declared} isWide>
            {account.declared.map((name) => name.replaceAll("_", " ")).join(", ")}
          </Fact>
        )}
        <Fact name={text.facts.made} isWide>
          {utc(Date.parse(account.created_at))}
        </Fact>
      </Facts>
    </Block>
  )
}

/** One account: its spend, budgets, models, limits, keys, requests, tasks and changes. */
export const AccountPage = ({ id }: { readonly id: string }) => {
  const { client, go, session, toast } = useApp()
  const dialog = useSignal<AccountDialog | undefined>(undefined)
  const account = useData(() => client.admin((admin) => admin.adminAccounts.show({ path: { id } })), {
    by: [id],
    on: ["account", "key", "configuration"]
  })
  const leave = () => go(hrefOf("accounts"))
  useShortcuts({ leave, create: () => go(hrefOf("keys", undefined, { account: id, new: "" })) })
  useLayoutEffect(() => {
    document.querySelector("#main")?.scrollTo(0, 0)
  }, [id])
  const one = account.value
  const open = (of: Exclude<AccountDialog["of"], "create">) => () => {
    if (one !== undefined) dialog.value = { of, account: one }
  }
  const act = async (change: Promise<unknown>, told: string) => {
    try {
      await change
      await account.again()
      toast(told)
    } catch (error) {
      toast(error instanceof Error ? error.message : words.failed.unknown)
    }
  }
  const resume = () =>
    void act(
      client.admin((admin) => admin.adminAccounts.resume({ path: { id } })),
      words.accountForm.resumed(id)
    )
  const reset = () =>
    void act(
      client.admin((admin) => admin.adminAccounts.resetBudgets({ path: { id } })),
      text.wasReset(id)
    )
  const isSuspended = one !== undefined && one.suspended_at !== null
  const rare: ReadonlyArray<MenuItem> = [
    ...(one === undefined || one.budgets.length === 0 ? [] : [{ word: text.reset, act: reset }]),
    isSuspended ? { word: text.resume, act: resume } : { word: text.suspend, isDangerous: true, act: open("suspend") },
    // Only a suspended account can be deleted.
    ...(isSuspended ? [{ word: text.delete, isDangerous: true, act: open("delete") }] : [])
  ]
  return (
    <>
      <PageHead
        title={id}
        note={
          <>
            {isSuspended && (
              <>
                <Status tone="off">{words.accounts.suspended}</Status>{" "}
              </>
            )}
            <a href={hrefOf("accounts")}>{text.back}</a>
          </>
        }
      >
        {one !== undefined && reaches(session, "adminAccounts.suspend") && (
          <>
            <Button onClick={open("credit")}>{text.credit}</Button>
            <Menu label={text.more(id)} word={text.moreWord} items={rare} />
          </>
        )}
      </PageHead>
      <div class="page">
        {isNotFound(account.failure?.error) ? (
          <p class="note">{text.gone}</p>
        ) : (
          <Part of={account} what={id}>
            {(found) => (
              <>
                <Money of={found} />
                <AccountSpend id={id} />
                <AccountBudgetList of={found} edit={open("budgets")} />
                <AccountKeys id={id} />
                <AccountMembers id={id} />
                <AccountModelList of={found} edit={open("models")} changed={account.again} />
                <Settings of={found} edit={open("settings")} />
                <AccountRequests id={id} />
                <AccountTasks id={id} />
                <AccountChanges id={id} />
              </>
            )}
          </Part>
        )}
      </div>
      <AccountDialogs open={dialog} changed={account.again} deleted={leave} />
    </>
  )
}
