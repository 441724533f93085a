import { useSignal } from "@preact/signals"
import type { AccountRecord } from "../../src/admin/AccountRecord.ts"
import { scopeText } from "../../src/contract/text/scopeText.ts"
import { permits, utc } from "../format.ts"
import { matches } from "../../src/contract/text/matches.ts"
import { useApp } from "../hooks/useApp.ts"
import { useData } from "../hooks/useData.ts"
import { budgetText, leftText, limitOf } from "../keyText.ts"
import type { Budget } from "../keyText.ts"
import { Block } from "../parts/Block.tsx"
import { Button } from "../parts/Button.tsx"
import { Part } from "../parts/states.tsx"
import { Status } from "../parts/Status.tsx"
import { Table } from "../parts/Table.tsx"
import type { Column } from "../parts/Table.tsx"
import { Badge, Faint, Meter, When } from "../parts/text.tsx"
import { reaches } from "../reaches.ts"
import { words } from "../words/words.ts"

const text = words.account

interface RulesOf {
  readonly of: AccountRecord
  readonly edit: () => void
}

/** `gateway.yaml`, where the setting stands in it; otherwise its button. */
const EditOr = ({
  edit,
  isDeclared,
  word
}: Pick<RulesOf, "edit"> & { readonly isDeclared: boolean; readonly word: string }) =>
  isDeclared ? (
    <Badge>{words.keys.declared}</Badge>
  ) : (
    <Button look="small" needs="adminAccounts.update" onClick={edit}>
      {word}
    </Button>
  )

const budgetColumns: ReadonlyArray<Column<Budget>> = [
  {
    head: text.budget,
    look: "whole wrap",
    cell: budgetText
  },
  {
    head: text.used,
    width: 160,
    cell: (one) => <Meter used={one.used} most={limitOf(one)} label={budgetText(one)} />
  },
  { head: text.left, width: 150, look: "right num", cell: leftText },
  {
    head: text.begins,
    width: 130,
    look: "right quiet",
    cell: ({ ends_at: at, rolling }) =>
      at !== null ? (
        <span title={utc(Date.parse(at))}>
          <When at={at} />
        </span>
      ) : (
        <Faint>{rolling === undefined ? text.never : text.rolls}</Faint>
      )
  }
]

/** Its budgets: what is left of each, and when it begins again. */
export const AccountBudgetList = ({ edit, of: account }: RulesOf) => (
  <Block
    title={text.budgets}
    actions={<EditOr edit={edit} isDeclared={account.declared.includes("budgets")} word={text.editBudgets} />}
  >
    {account.budgets.length === 0 ? (
      <p class="hint">{text.noBudgets}</p>
    ) : (
      <div class="bleed">
        <Table label={text.budgets} look="stacks" rows={account.budgets} keyOf={scopeOf} columns={budgetColumns} />
      </div>
    )}
  </Block>
)

const scopeOf = (budget: Budget): string => `${budget.tokens ?? ""} ${budget.requests ?? ""} ${scopeText(budget)}`

/** Models that are listed before all are asked for. */
const few = 20

/** The served models, which the account may or may not use; each is blocked or allowed by a click. */
export const AccountModelList = ({
  changed,
  edit,
  of: account
}: RulesOf & { readonly changed: () => Promise<void> }) => {
  const { client, session, toast } = useApp()
  const isWhole = useSignal(false)
  const served = useData(() => client.admin((admin) => admin.adminOperations.models({ urlParams: {} })), {
    on: ["configuration"]
  })
  const isDeclared = account.declared.includes("models") || account.declared.includes("not_models")
  const write = async (not_models: ReadonlyArray<string>, told: string) => {
    const payload = { not_models, version: account.version }
    await client.admin((admin) => admin.adminAccounts.update({ path: { id: account.id }, payload }))
    await changed()
    toast(told)
  }
  const fail = (error: unknown) => toast(error instanceof Error ? error.message : words.failed.unknown)
  const block = (model: string) =>
    void write([...account.not_models, model], text.isBlocked(model, account.id)).catch(fail)
  const allow = (model: string) =>
    void write(
      account.not_models.filter((pattern) => pattern !== model),
      text.isAllowed(model, account.id)
    ).catch(fail)
  const change: Column<string> = {
    head: text.change,
    width: 92,
    look: "right",
    cell: (model) => {
      if (isDeclared) return null
      if (permits(account, model)) {
        return (
          <Button look="small" label={`${text.block} ${model}`} onClick={() => block(model)}>
            {text.block}
          </Button>
        )
      }
      const isExact = account.not_models.includes(model)
      return (
        <Button look="small" label={`${text.allow} ${model}`} onClick={() => (isExact ? allow(model) : edit())}>
          {text.allow}
        </Button>
      )
    }
  }
  const columns: ReadonlyArray<Column<string>> = [
    { head: text.model, look: "whole", cell: (model) => model },
    {
      head: text.state,
      width: 260,
      cell: (model) => {
        const pattern = account.not_models.find((one) => matches(one, model))
        if (pattern !== undefined) return <Status tone="off">{text.blocked(pattern)}</Status>
        return permits(account, model) ? (
          <Status tone="well">{text.allowed}</Status>
        ) : (
          <Status tone="off">{text.outside}</Status>
        )
      }
    },
    ...(reaches(session, "adminAccounts.update") ? [change] : [])
  ]
  const names = served.value?.data.map(({ id }) => id).toSorted() ?? []
  const patterns = [...account.models, ...account.not_models.map(words.key.not)].join(", ")
  const blockedFirst = names.toSorted((one, other) => Number(permits(account, one)) - Number(permits(account, other)))
  return (
    <Block
      title={text.models(names.filter((model) => permits(account, model)).length, names.length)}
      actions={<EditOr edit={edit} isDeclared={isDeclared} word={text.editModels} />}
    >
      <p class="hint">{patterns === "*" ? text.everyModel : <code>{patterns}</code>}</p>
      <Part of={served} what={words.pages.models}>
        {() => (
          <>
            <div class="bleed">
              <Table
                label={words.pages.models}
                look="stacks"
                rows={isWhole.value ? blockedFirst : blockedFirst.slice(0, few)}
                keyOf={(model) => model}
                columns={columns}
              />
            </div>
            {names.length > few && !isWhole.value && (
              <p class="more">
                <Button look="small" onClick={() => (isWhole.value = true)}>
                  {text.moreModels(names.length)}
                </Button>
              </p>
            )}
          </>
        )}
      </Part>
    </Block>
  )
}
