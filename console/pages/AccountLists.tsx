import type { KeyRecord } from "../../src/admin/KeyRecord.ts"
import type { TaskSummary } from "../../src/admin/TaskSummary.ts"
import { outcomeOf } from "../../src/requests/outcome.ts"
import type { Outcome } from "../../src/requests/outcome.ts"
import type { RequestView } from "../../src/requests/RequestView.ts"
import { useApp } from "../hooks/useApp.ts"
import { useData } from "../hooks/useData.ts"
import { secretless, secretText, usedUsd } from "../keyText.ts"
import { AuditLines } from "../parts/AuditLines.tsx"
import { Block } from "../parts/Block.tsx"
import { Part } from "../parts/states.tsx"
import { Status } from "../parts/Status.tsx"
import type { Tone } from "../parts/Status.tsx"
import { Table } from "../parts/Table.tsx"
import type { Column } from "../parts/Table.tsx"
import { Cost, Faint, None, When } from "../parts/text.tsx"
import { reaches } from "../reaches.ts"
import { hrefOf } from "../router.ts"
import { toneOf } from "./TaskStatus.tsx"
import { words } from "../words/words.ts"

const text = words.account

interface Of {
  readonly id: string
}

/** Rows of each list; a link leads to all of them. */
const few = 8

const keyColumns: ReadonlyArray<Column<KeyRecord>> = [
  { head: text.key, look: "whole", cell: ({ id, name }) => <a href={hrefOf("keys", id)}>{name}</a> },
  {
    head: text.status,
    width: 110,
    cell: ({ status }) => <Status tone={status === "active" ? "well" : "off"}>{words.keys.status[status]}</Status>
  },
  {
    head: text.secret,
    width: 110,
    look: "quiet",
    cell: (key) => <span class="mono">{secretText(key) ?? secretless(key)}</span>
  },
  { head: text.today, width: 110, look: "right", cell: ({ usage }) => <Cost of={usedUsd(usage.today)} /> },
  { head: text.month, width: 110, look: "right", cell: ({ usage }) => <Cost of={usedUsd(usage.last_30_days)} /> },
  {
    head: text.lastUsed,
    width: 110,
    look: "right quiet",
    cell: ({ last_used_at: at }) => (at === null ? <None word={words.never} /> : <When at={at} suffix="ago" />)
  }
]

/** Its keys that are in use, and what they have used. */
export const AccountKeys = ({ id }: Of) => {
  const { client, session } = useApp()
  const keys = useData(
    () => client.admin((admin) => admin.adminKeys.list({ urlParams: { account: id, limit: 100 } })),
    { by: [id], on: ["key"] }
  )
  return (
    <Block
      title={text.keys}
      actions={
        <>
          {reaches(session, "adminKeys.create") && (
            <a class="button small" href={hrefOf("keys", undefined, { account: id, new: "" })}>
              {text.createKey}
            </a>
          )}
          <a class="button small" href={hrefOf("keys", undefined, { account: id })}>
            {text.allKeys}
          </a>
        </>
      }
    >
      <Part of={keys} what={text.keys}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="hint">{text.noKeys}</p>
          ) : (
            <div class="bleed">
              <Table label={text.keys} look="stacks" rows={data} keyOf={({ id }) => id} columns={keyColumns} />
            </div>
          )
        }
      </Part>
    </Block>
  )
}

const outcomeTones: Readonly<Record<Outcome, Tone>> = {
  finished: "well",
  refused: "warn",
  failed: "bad",
  cut: "bad",
  hang_up: "off"
}

const requestColumns: ReadonlyArray<Column<RequestView>> = [
  { head: text.age, width: 92, look: "quiet", cell: ({ time }) => <When at={time} /> },
  {
    head: text.outcome,
    width: 150,
    cell: (request) => {
      const outcome = outcomeOf(request)
      return (
        <Status tone={outcomeTones[outcome]} code={request.status}>
          {words.outcome[outcome]}
        </Status>
      )
    }
  },
  { head: text.model, cell: ({ model }) => model },
  {
    head: text.cost,
    width: 110,
    look: "right",
    cell: ({ cost_usd: cost }) => <Cost of={cost} decimals={5} />
  },
  {
    head: text.request,
    width: 250,
    look: "right whole",
    cell: ({ request_id: id }) => (
      <a class="mono" href={hrefOf("requests", id)}>
        {id}
      </a>
    )
  }
]

export const AccountRequests = ({ id }: Of) => {
  const { client } = useApp()
  const requests = useData(
    () =>
      client.admin((admin) =>
        admin.adminOperations.listRequests({ urlParams: { account: id, since: "30d", limit: few } })
      ),
    { by: [id] }
  )
  return (
    <Block
      title={text.requests}
      actions={
        <a class="button small" href={hrefOf("requests", undefined, { account: id, range: "30d" })}>
          {text.allRequests}
        </a>
      }
    >
      <Part of={requests} what={text.requests}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="hint">{text.noRequests}</p>
          ) : (
            <div class="bleed">
              <Table
                label={text.requests}
                look="stacks"
                rows={data}
                keyOf={({ request_id }) => request_id}
                columns={requestColumns}
              />
            </div>
          )
        }
      </Part>
    </Block>
  )
}

const taskColumns: ReadonlyArray<Column<TaskSummary>> = [
  { head: text.age, width: 92, look: "quiet", cell: ({ created_at: at }) => <When at={at} /> },
  {
    head: text.state,
    width: 150,
    cell: ({ state }) => <Status tone={toneOf(state)}>{words.tasks.states[state]}</Status>
  },
  { head: text.model, cell: ({ model }) => model },
  { head: text.cost, width: 110, look: "right", cell: ({ cost_usd: cost }) => <Cost of={cost} decimals={5} /> },
  {
    head: text.task,
    width: 290,
    look: "right whole",
    cell: ({ id }) => (
      <a class="mono" href={hrefOf("tasks", id)}>
        {id}
      </a>
    )
  }
]

export const AccountTasks = ({ id }: Of) => {
  const { client } = useApp()
  const tasks = useData(
    () =>
      client.admin((admin) =>
        admin.adminOperations.listTasks({ urlParams: { account: id, since: "30d", limit: few } })
      ),
    { by: [id], on: ["task"] }
  )
  return (
    <Block
      title={text.tasks}
      actions={
        <a class="button small" href={hrefOf("tasks", undefined, { account: id })}>
          {text.allTasks}
        </a>
      }
    >
      <Part of={tasks} what={text.tasks}>
        {({ data }) =>
          data.length === 0 ? (
            <p class="hint">{text.noTasks}</p>
          ) : (
            <div class="bleed">
              <Table label={text.tasks} look="stacks" rows={data} keyOf={({ id }) => id} columns={taskColumns} />
            </div>
          )
        }
      </Part>
    </Block>
  )
}

/** Changes of an account and of its keys. */
export const AccountChanges = ({ id }: Of) => {
  const { client } = useApp()
  const audit = useData(
    () => client.admin((admin) => admin.adminOperations.audit({ urlParams: { account: id, limit: 20 } })),
    { by: [id], on: ["account", "key"] }
  )
  return (
    <Block title={text.changes}>
      <Part of={audit} what={text.changes}>
        {({ data }) => (data.length === 0 ? <Faint>{text.noChanges}</Faint> : <AuditLines records={data} />)}
      </Part>
    </Block>
  )
}
