import type { MemberRecord } from "../../src/admin/MemberRecord.ts"
import { ownUrl } from "../address.ts"
import { number } from "../format.ts"
import { useApp } from "../hooks/useApp.ts"
import { useData } from "../hooks/useData.ts"
import { Block } from "../parts/Block.tsx"
import { Part } from "../parts/states.tsx"
import { Table } from "../parts/Table.tsx"
import type { Column } from "../parts/Table.tsx"
import { Badge, Faint, When } from "../parts/text.tsx"
import { words } from "../words/words.ts"

const text = words.account

const columns: ReadonlyArray<Column<MemberRecord>> = [
  { head: text.person, look: "whole", cell: ({ name }) => name },
  { head: text.role, width: 110, cell: ({ role }) => <Badge>{role}</Badge> },
  {
    head: text.ownKeys,
    width: 110,
    look: "right",
    cell: ({ keys }) => (keys === 0 ? <Faint>0</Faint> : number(keys))
  },
  {
    head: text.lastSeen,
    width: 130,
    look: "right quiet",
    cell: ({ last_seen_at: at }) => <When at={at} suffix="ago" />
  },
  {
    head: text.confirmed,
    width: 150,
    look: "right quiet",
    cell: ({ confirmed_at: at }) => <When at={at} suffix="ago" />
  }
]

/** People whose role reaches the account; nothing where no one signs in. */
export const AccountMembers = ({ id }: { readonly id: string }) => {
  const { client } = useApp()
  const members = useData(
    () => client.admin((admin) => admin.adminAccounts.members({ path: { id }, urlParams: { limit: 1_000 } })),
    {
      by: [id],
      on: ["account", "key", "session", "configuration"]
    }
  )
  if (members.failure === undefined && (members.value === undefined || members.value.data.length === 0)) return null
  return (
    <Block
      title={text.members}
      actions={
        <a
          class="button small"
          href={`${ownUrl}/admin/v1/accounts/${encodeURIComponent(id)}/members?format=csv`}
          download
        >
          {text.download}
        </a>
      }
    >
      <Part of={members} what={text.members}>
        {({ data }) => (
          <div class="bleed">
            <Table label={text.members} look="stacks" rows={data} keyOf={({ person }) => person} columns={columns} />
          </div>
        )}
      </Part>
    </Block>
  )
}
