import { actingIn } from "../actingIn.ts"
import { ownUrl } from "../address.ts"
import { useApp } from "../hooks/useApp.ts"
import { Menu } from "../parts/Menu.tsx"
import { asked, requestFilter } from "../requestFilter.ts"
import { words } from "../words/words.ts"

const text = words.requests

/** Downloads of all requests that the address asks for. The gateway streams them, so that they may be any number. */
export const ExportLinks = () => {
  const { route, session } = useApp()
  const download = (format: "csv" | "jsonl") => {
    const isOperator = session.kind === "operator"
    const filter = requestFilter(route().query, Date.now())
    const { query } = asked(filter, isOperator ? undefined : (session.account_id ?? ""))
    const search = new URLSearchParams({
      ...actingIn.query(),
      ...query,
      format,
      since: new Date(filter.from).toISOString(),
      ...(filter.to === undefined ? {} : { until: new Date(filter.to).toISOString() })
    })
    const link = document.createElement("a")
    link.href = `${ownUrl}${isOperator ? "/admin/v1" : "/v1"}/requests/export?${search.toString()}`
    link.download = ""
    link.click()
  }
  return (
    <Menu
      label={text.exportIt}
      word={text.exportIt}
      items={[
        { word: text.exportAs.csv, act: () => download("csv") },
        { word: text.exportAs.jsonl, act: () => download("jsonl") }
      ]}
    />
  )
}
