import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import type { ToolServerRecord } from "../../src/admin/ToolServerRecord.ts"
import { durationText, number } from "../format.ts"
import { useApp } from "../hooks/useApp.ts"
import { Button } from "../parts/Button.tsx"
import { Status } from "../parts/Status.tsx"
import { Faint } from "../parts/text.tsx"
import { words } from "../words/words.ts"

const text = words.tools

/** Tests of servers: buttons that become results. @param again reads the servers again */
export const useToolTests = (again: () => Promise<void>) => {
  const { client } = useApp()
  const results = useSignal<ReadonlyMap<string, ComponentChildren>>(new Map())
  const show = (name: string, result: ComponentChildren) => {
    results.value = new Map(results.value).set(name, result)
  }

  const ask = async (name: string) => {
    show(name, <Status tone="running">{text.testing}</Status>)
    try {
      const { error, ms, ok, server } = await client.admin((admin) => admin.adminTools.test({ path: { server: name } }))
      show(
        name,
        ok ? (
          <Status tone="well">{text.answered(number(server.tools?.length ?? 0), durationText(ms))}</Status>
        ) : (
          <span title={error ?? ""}>
            <Status tone="bad">{text.noAnswer}</Status>
          </span>
        )
      )
    } catch (error) {
      show(
        name,
        <span title={error instanceof Error ? error.message : ""}>
          <Status tone="bad">{text.noAnswer}</Status>
        </span>
      )
    }
  }

  const askSome = async (names: ReadonlyArray<string>) => {
    await Promise.all(names.map(ask))
    await again()
  }

  return {
    askAll: (servers: ReadonlyArray<ToolServerRecord>) =>
      void askSome(servers.filter(({ auth }) => auth !== "caller").map(({ name }) => name)),
    /** The test of a server; one that wants a token of each caller can't be asked. */
    of: ({ auth, name }: ToolServerRecord) =>
      auth === "caller" ? (
        <Faint>{text.perCaller}</Faint>
      ) : (
        (results.value.get(name) ?? (
          <Button
            look="small"
            needs="adminTools.test"
            label={text.testTitle(name)}
            onClick={() => void askSome([name])}
          >
            {text.test}
          </Button>
        ))
      )
  }
}
