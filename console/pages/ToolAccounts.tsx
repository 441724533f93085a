import { useApp } from "../hooks/useApp.ts"
import { useData } from "../hooks/useData.ts"
import { Part } from "../parts/states.tsx"
import { PageHead } from "../parts/text.tsx"
import { words } from "../words/words.ts"
import { ToolAccount } from "./ToolAccount.tsx"

const text = words.tools.accounts

/** A person's accounts at MCP servers, where the console is elsewhere. A link of a program names one of them. */
export const ToolAccounts = () => {
  const { client, route } = useApp()
  const { id, query } = route()
  const named = id ?? query.get("connect") ?? query.get("connected")
  const servers = useData(() =>
    client.console(({ tools }) => tools.list({})).then(({ data }) => data.map(({ server }) => server))
  )
  return (
    <>
      <PageHead title={text.title} />
      <div class="device">
        <Part of={servers} what={text.title}>
          {(all) => {
            const shown = named === null ? all : all.filter((server) => server === named)
            return shown.length === 0 ? (
              <p class="note">{named === null ? text.none : words.tools.missing}</p>
            ) : (
              shown.map((server) => <ToolAccount key={server} server={server} title={text.at(server)} />)
            )
          }}
        </Part>
      </div>
    </>
  )
}
