import type { KeyRecord } from "../../src/admin/KeyRecord.ts"
import { keySettingTexts } from "../../src/contract/callers/keySettings.ts"
import { dollars, number, permits, usd, utc } from "../format.ts"
import { matches } from "../../src/contract/text/matches.ts"
import { useApp } from "../hooks/useApp.ts"
import { useData } from "../hooks/useData.ts"
import { budgetText, limitsText, secretless, secretText, usedUsd } from "../keyText.ts"
import { AuditLines } from "../parts/AuditLines.tsx"
import { Button } from "../parts/Button.tsx"
import { Drawer } from "../parts/Drawer.tsx"
import { Part } from "../parts/states.tsx"
import { Status } from "../parts/Status.tsx"
import { SmallTable } from "../parts/Table.tsx"
import { Copyable, Cost, Fact, Facts, Faint, Meter, None, Quiet, Section, When } from "../parts/text.tsx"
import { hrefOf } from "../router.ts"
import { PageLink } from "../parts/PageLink.tsx"
import { words } from "../words/words.ts"
import type { KeyDialog } from "./KeyDialogs.tsx"

const text = words.key

interface DrawerProps {
  readonly id: string
  /** Undefined if there is no such key. */
  readonly of: KeyRecord | undefined
  readonly open: (dialog: KeyDialog) => void
  readonly close: () => void
  readonly step: (by: 1 | -1) => void
}

const BudgetOf = ({ of: key }: { readonly of: KeyRecord }) => {
  if (key.budgets.length === 0) return null
  if (key.budget === null) {
    return (
      <Section title={text.budget}>
        {key.budgets.map((one) => (
          <p key={budgetText(one)} class="num">
            {budgetText(one)}
          </p>
        ))}
      </Section>
    )
  }
  const { period } = key.budget
  const [spent, limit] = [dollars(key.budget.spent), dollars(key.budget.limit)]
  const told = text.spent(usd(spent), usd(limit), period)
  return (
    <Section title={text.budget}>
      <Meter used={spent} most={limit} label={told} isOff={key.status !== "active"} />
      <p class="num">
        {told}
        <Faint>{text.left(usd(Math.max(0, limit - spent)))}</Faint>
      </p>
    </Section>
  )
}

const Used = ({ of }: { readonly of: KeyRecord["usage"]["total"] }) => (
  <>
    <Cost of={usedUsd(of)} />
    <div class="faint">{text.requestsOf(number(of.requests), of.requests)}</div>
  </>
)

const FactsOf = ({ of: key }: { readonly of: KeyRecord }) => (
  <Facts>
    <Fact name={text.facts.today}>
      <Used of={key.usage.today} />
    </Fact>
    <Fact name={text.facts.month}>
      <Used of={key.usage.last_30_days} />
    </Fact>
    <Fact name={text.facts.total}>
      <Used of={key.usage.total} />
    </Fact>
    <Fact name={text.facts.used}>
      {key.last_used_at === null ? <None word={words.never} /> : <When at={key.last_used_at} suffix="ago" />}
    </Fact>
    <Fact name={text.facts.key} isWide>
      <Copyable text={key.id} />
    </Fact>
    <Fact name={text.facts.secret} isWide>
      {secretText(key) === undefined ? <Faint>{secretless(key)}</Faint> : <span class="mono">{secretText(key)}</span>}
    </Fact>
    {key.old_secret_until !== undefined && (
      <Fact name={text.facts.oldSecret} isWide>
        {utc(Date.parse(key.old_secret_until))}
      </Fact>
    )}
    <Fact name={text.facts.account} isWide>
      <PageLink page="accounts" id={key.account}>
        {key.account}
      </PageLink>
    </Fact>
    <Fact name={text.facts.limits} isWide>
      {limitsText(key.limits) ?? <None />}
    </Fact>
    {key.upstreams !== null && (
      <Fact name={text.facts.upstreams} isWide>
        <span class="mono">{key.upstreams.join(" ")}</span>
      </Fact>
    )}
    {keySettingTexts(key, number).map(({ heading, name, text: value }) => (
      <Fact key={name} name={heading} isWide>
        {value}
      </Fact>
    ))}
    <Fact name={text.facts.expires} isWide>
      {key.expires_at === null ? words.never : <When at={key.expires_at} suffix="ago" />}
    </Fact>
    <Fact name={text.facts.made} isWide>
      {utc(Date.parse(key.created_at))}
    </Fact>
  </Facts>
)

const ModelsOf = ({ models, of: key }: { readonly of: KeyRecord; readonly models: ReadonlyArray<string> }) => (
  <Section title={text.models(models.filter((model) => permits(key, model)).length, models.length)}>
    <SmallTable
      isPlain
      label={words.keys.columns.models}
      heads={[["", "", 150], [""]]}
      rows={[...key.models, ...key.not_models].map((pattern, index) => {
        const names = models.filter((model) => matches(pattern, model))
        return [
          <span key="pattern" class="mono">
            {index < key.models.length ? pattern : text.not(pattern)}
          </span>,
          names.length === 0 ? <Faint>{text.nothing}</Faint> : <Quiet>{names.join(", ")}</Quiet>
        ]
      })}
    />
  </Section>
)

const Actions = ({ of: key, open }: { readonly of: KeyRecord; readonly open: DrawerProps["open"] }) => (
  <section>
    <div class="actions">
      {key.status === "active" || key.status === "suspended" ? (
        <>
          <Button needs="adminKeys.update" disabled={key.declared} onClick={() => open({ of: "edit", key })}>
            {text.edit}
          </Button>
          {key.has_secret && (
            <Button needs="adminKeys.rotateSecret" disabled={key.declared} onClick={() => open({ of: "rotate", key })}>
              {text.rotate}
            </Button>
          )}
          <Button
            look="danger"
            needs="adminKeys.revoke"
            disabled={key.declared}
            onClick={() => open({ of: "revoke", key })}
          >
            {text.revoke}
          </Button>
        </>
      ) : (
        <Button needs="adminKeys.create" onClick={() => open({ of: "create", like: key })}>
          {text.like}
        </Button>
      )}
      <a class="button" href={hrefOf("requests", undefined, { q: `key:${key.id}`, range: "30d" })}>
        {text.requests}
      </a>
    </div>
    {key.declared && <p class="hint">{text.declared}</p>}
    {key.suspended_by !== null && <p class="hint">{text.suspendedBy[key.suspended_by]}</p>}
  </section>
)

/** One key: its actions, what it has used, limits and budget, the models that its patterns match, and its changes. */
export const KeyDrawer = ({ close, id, of: key, open, step }: DrawerProps) => {
  const { catalogue, client } = useApp()
  const models = useData(() => catalogue.models().catch(() => []))
  const audit = useData(
    () => client.admin((admin) => admin.adminOperations.audit({ urlParams: { target: id, limit: 20 } })),
    { by: [id], on: ["key"] }
  )
  if (key === undefined) {
    return (
      <Drawer id={id} title={<span>{id}</span>} close={close} step={step}>
        <section>
          <p class="note">{text.gone}</p>
        </section>
      </Drawer>
    )
  }
  const title = (
    <>
      <Status tone={key.status === "active" ? "well" : "off"}>{words.keys.status[key.status]}</Status>
      <span>{key.name}</span>
    </>
  )
  return (
    <Drawer id={id} title={title} close={close} step={step}>
      <Actions of={key} open={open} />
      <section>
        <FactsOf of={key} />
      </section>
      <BudgetOf of={key} />
      <ModelsOf of={key} models={models.value ?? []} />
      <Section title={text.changes}>
        <Part of={audit} what={text.changes} waiting={<p class="hint">{words.loading}</p>}>
          {({ data }) => (data.length === 0 ? <p class="hint">{text.noChanges}</p> : <AuditLines records={data} />)}
        </Part>
      </Section>
    </Drawer>
  )
}
