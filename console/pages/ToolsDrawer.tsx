import type { KeyRecord } from "../../src/admin/KeyRecord.ts"
import type { ToolServerRecord } from "../../src/admin/ToolServerRecord.ts"
import { mayUseServer } from "../../src/contract/callers/toolRule.ts"
import { number } from "../format.ts"
import { useApp } from "../hooks/useApp.ts"
import { useData } from "../hooks/useData.ts"
import { CodeBlock } from "../parts/CodeBlock.tsx"
import { Drawer } from "../parts/Drawer.tsx"
import { Part } from "../parts/states.tsx"
import { Status } from "../parts/Status.tsx"
import { Badge, Copyable, Fact, Facts, Faint, Section, When } from "../parts/text.tsx"
import { words } from "../words/words.ts"
import { ToolAccount } from "./ToolAccount.tsx"

const text = words.tools.drawer

type Tool = NonNullable<ToolServerRecord["tools"]>[number]

interface ToolsDrawerProps {
  readonly id: string
  /** Absent if the session sees none of this name. */
  readonly server: ToolServerRecord | undefined
  readonly close: () => void
  readonly step: (by: 1 | -1) => void
}

/** A server: its facts, its last error, its tools with what changed, and the keys that may use it. */
export const ToolsDrawer = ({ close, id, server, step }: ToolsDrawerProps) => (
  <Drawer id={id} title={<span>{id}</span>} close={close} step={step}>
    {server === undefined ? (
      <Section>
        <p>{words.tools.missing}</p>
      </Section>
    ) : (
      <Server {...server} />
    )}
  </Drawer>
)

const Server = (server: ToolServerRecord) => {
  const { auth, description, era, last_failure: last, listed_at: listed, tools, trusted, url, warnings } = server
  return (
    <>
      {last !== null && (
        <Section title={<When at={last.time} suffix="ago" />}>
          <p>
            <Status tone="bad">{last.message}</Status>
          </p>
        </Section>
      )}
      <Section>
        <Facts>
          <Fact name={text.address} isWide>
            {url === null ? text.builtIn : <Copyable text={url} />}
          </Fact>
          {description !== null && (
            <Fact name={text.description} isWide>
              {description}
            </Fact>
          )}
          <Fact name={words.tools.columns.account}>{words.tools.auths[auth]}</Fact>
          <Fact name={words.tools.columns.protocol}>{era === null ? words.none : words.tools.eras[era]}</Fact>
          <Fact name={text.trusted}>{trusted ? text.believed : text.notBelieved}</Fact>
          <Fact name={text.listed}>
            {listed === null ? <Faint>{words.tools.unlisted}</Faint> : <When at={listed} suffix="ago" />}
          </Fact>
        </Facts>
      </Section>
      {auth === "person" && <ToolAccount server={server.name} />}
      {warnings.length > 0 && (
        <Section title={text.warnings}>
          {warnings.map((warning) => (
            <p key={warning}>{warning}</p>
          ))}
        </Section>
      )}
      {tools === null ? (
        <Section>
          <p class="hint">{auth === "caller" ? text.perCaller : auth === "person" ? text.perPerson : text.unlisted}</p>
        </Section>
      ) : (
        <Section title={text.tools(number(tools.length))}>
          {tools.map((tool) => (
            <ToolView key={tool.name} {...tool} />
          ))}
        </Section>
      )}
      <MayUse name={server.name} />
    </>
  )
}

const ToolView = ({ changed, description, input_schema: schema, name, read_only: readsOnly }: Tool) => (
  <div class="tool">
    <h3>
      <code>{name}</code>
      {readsOnly && <Badge>{text.readsOnly}</Badge>}
      {changed !== undefined && (
        <Status tone="warn">
          {text.changed} <When at={changed.at} suffix="ago" />
        </Status>
      )}
    </h3>
    <p class="tool-text">{description ?? <Faint>{text.noText}</Faint>}</p>
    {changed !== undefined && (
      <CodeBlock
        label={`${name}: ${text.changed}`}
        snippets={[
          [text.before, shown(changed.before)],
          [text.after, shown({ description, input_schema: schema })]
        ]}
      />
    )}
    <details>
      <summary>{text.schema}</summary>
      <CodeBlock label={`${name}: ${text.schema}`} snippets={[["JSON", JSON.stringify(schema, null, 2)]]} />
    </details>
  </div>
)

const shown = ({ description, input_schema }: Pick<Tool, "description" | "input_schema">): string =>
  `${description ?? text.noText}\n\n${JSON.stringify(input_schema, null, 2)}`

const mostNames = 12

/** The active keys that may use something of a server, by their own rules and their account's. */
const MayUse = ({ name }: { readonly name: string }) => {
  const { catalogue } = useApp()
  const found = useData(
    async () => {
      const [keys, accounts] = await Promise.all([catalogue.keys(), catalogue.accounts()])
      const ruleOf = new Map(accounts.map((account) => [account.id, account]))
      const active = keys.filter(({ status }) => status === "active")
      const may = active.filter((key) => mayUseServer(rulesOf(key, ruleOf.get(key.account)), name))
      return { all: active.length, may }
    },
    { by: [name] }
  )
  return (
    <Section title={text.keys}>
      <Part of={found} what={text.keys}>
        {({ all, may }) => <p>{mayText(may, all)}</p>}
      </Part>
    </Section>
  )
}

type Rule = Pick<KeyRecord, "tools" | "not_tools">

const rulesOf = (key: Rule, account: Rule | undefined) => ({
  tools: key.tools ?? undefined,
  notTools: key.not_tools ?? undefined,
  accountTools: account?.tools ?? undefined,
  accountNotTools: account?.not_tools ?? undefined
})

const mayText = (may: ReadonlyArray<KeyRecord>, all: number): string => {
  if (may.length === 0) return text.noKeys
  if (may.length === all) return text.allKeys(number(all))
  const names = may.slice(0, mostNames).map(({ account, name }) => `${account} / ${name}`)
  return text.someKeys(number(may.length), number(all), `${names.join(", ")}${may.length > names.length ? ", …" : ""}`)
}
