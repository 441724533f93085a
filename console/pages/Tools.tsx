import type { ToolServerRecord } from "../../src/admin/ToolServerRecord.ts"
import { number } from "../format.ts"
import { useApp } from "../hooks/useApp.ts"
import { useData } from "../hooks/useData.ts"
import { useShortcuts } from "../hooks/useShortcuts.ts"
import { Button } from "../parts/Button.tsx"
import { PageLink } from "../parts/PageLink.tsx"
import { Empty, Part } from "../parts/states.tsx"
import { Status } from "../parts/Status.tsx"
import type { Tone } from "../parts/Status.tsx"
import { Sideways, Table } from "../parts/Table.tsx"
import type { Column } from "../parts/Table.tsx"
import { Faint, None, PageHead, Took, When } from "../parts/text.tsx"
import { reaches } from "../reaches.ts"
import { hrefOf } from "../router.ts"
import { words } from "../words/words.ts"
import { ToolsDrawer } from "./ToolsDrawer.tsx"
import { useToolTests } from "./toolTests.tsx"

const text = words.tools
const { columns } = text

const tones: Readonly<Record<ToolServerRecord["state"], Tone>> = { answering: "well", failing: "bad", unknown: "off" }

const first = [
  ["gateway.yaml", "mcp:\n  servers:\n    wiki: { url: https://mcp.example.com/mcp, api_key: ${WIKI_KEY} }"]
] as const

const Count = ({ auth, tools }: ToolServerRecord) => {
  if (tools === null)
    return <Faint>{auth === "caller" ? text.perCaller : auth === "person" ? text.perPerson : text.unlisted}</Faint>
  const changed = tools.filter((tool) => tool.changed !== undefined).length
  return (
    <>
      {number(tools.length)}
      {changed > 0 && (
        <>
          {" "}
          <Status tone="warn">{text.changed(number(changed))}</Status>
        </>
      )}
    </>
  )
}

const facts: ReadonlyArray<Column<ToolServerRecord>> = [
  {
    head: columns.server,
    width: 150,
    look: "whole",
    cell: ({ name }) => (
      <PageLink page="tools" id={name}>
        {name}
      </PageLink>
    )
  },
  {
    head: columns.state,
    width: 130,
    cell: ({ state }) => <Status tone={tones[state]}>{text.states[state]}</Status>
  },
  {
    head: columns.since,
    width: 80,
    look: "quiet no-slim",
    cell: ({ since }) => (since === null ? <None /> : <When at={since} />)
  },
  {
    head: columns.protocol,
    width: 104,
    look: "quiet no-mid",
    cell: ({ era }) => (era === null ? <None /> : text.eras[era])
  },
  { head: columns.account, width: 112, look: "quiet no-mid", cell: ({ auth }) => text.auths[auth] },
  { head: columns.tools, width: 150, cell: Count },
  {
    head: columns.calls,
    width: 110,
    look: "right",
    cell: ({ use }) =>
      use === null || use.calls === 0 ? (
        <Faint>0</Faint>
      ) : (
        <>
          {number(use.calls)}
          {use.errors > 0 && <Faint> {text.errors(number(use.errors))}</Faint>}
        </>
      )
  },
  {
    head: columns.p95,
    width: 84,
    look: "right no-slim",
    cell: ({ use }) => (use === null || use.duration_ms === null ? <None /> : <Took ms={use.duration_ms.p95} />)
  },
  {
    head: columns.failure,
    look: "quiet apart",
    cell: ({ last_failure: last }) =>
      last === null ? (
        <None />
      ) : (
        <span title={last.message}>
          {last.message}{" "}
          <Faint>
            <When at={last.time} suffix="ago" />
          </Faint>
        </span>
      )
  }
]

/** The MCP servers of the configuration with their states, and the tools of one beside them. */
export const Tools = () => {
  const { client, go, route, session } = useApp()
  const { id: chosen, query } = route()
  // A link of a program leads here, and so does a server's sign-in.
  const id = chosen ?? query.get("connect") ?? query.get("connected") ?? undefined
  const servers = useData(
    () => client.admin((admin) => admin.adminTools.list({ urlParams: {} })).then(({ data }) => data),
    { on: ["configuration"] }
  )
  const tests = useToolTests(servers.again)
  const rows = servers.value ?? []
  const canTest = reaches(session, "adminTools.test")
  const leave = () => go(hrefOf("tools"))
  const step = (by: 1 | -1) => {
    const next = rows[rows.findIndex(({ name }) => name === id) + by]
    if (id !== undefined && next !== undefined) go(hrefOf("tools", next.name), "replace")
  }
  useShortcuts({ leave, step })
  return (
    <>
      <PageHead
        title={words.pages.tools}
        note={
          servers.value &&
          text.counted(number(rows.length), number(rows.reduce((sum, { tools }) => sum + (tools?.length ?? 0), 0)))
        }
      >
        <Button needs="adminTools.test" onClick={() => tests.askAll(rows)}>
          {text.testAll}
        </Button>
      </PageHead>
      <div class="page">
        <Part of={servers} what={words.pages.tools}>
          {(all) =>
            all.length === 0 ? (
              <Empty title={text.emptyTitle} snippets={first}>
                {text.empty}
              </Empty>
            ) : (
              <>
                <Sideways label={words.pages.tools}>
                  <Table
                    label={words.pages.tools}
                    look="stacks"
                    rows={all}
                    keyOf={({ name }) => name}
                    columns={
                      canTest ? [...facts, { head: columns.test, width: 130, look: "apart", cell: tests.of }] : facts
                    }
                  />
                </Sideways>
                <p class="hint rule">{text.hint}</p>
              </>
            )
          }
        </Part>
      </div>
      {id !== undefined && servers.value !== undefined && (
        <ToolsDrawer id={id} server={rows.find(({ name }) => name === id)} close={leave} step={step} />
      )}
    </>
  )
}
