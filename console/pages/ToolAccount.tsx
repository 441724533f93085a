import { useSignal } from "@preact/signals"
import { Refused } from "../client.ts"
import { useApp } from "../hooks/useApp.ts"
import { useData } from "../hooks/useData.ts"
import { Button } from "../parts/Button.tsx"
import { Complaint } from "../parts/LetIn.tsx"
import { Part } from "../parts/states.tsx"
import { Status } from "../parts/Status.tsx"
import { Section, When } from "../parts/text.tsx"
import { words } from "../words/words.ts"

const text = words.tools.own

/** A person's own account at a server, which they connect at its sign-in. */
export const ToolAccount = ({ server, title = text.title }: { readonly server: string; readonly title?: string }) => {
  const { session } = useApp()
  return (
    <Section title={title}>
      {session.person === true ? <Connection server={server} /> : <p class="hint">{text.notPerson}</p>}
    </Section>
  )
}

const Connection = ({ server }: { readonly server: string }) => {
  const { client } = useApp()
  const complaint = useSignal("")
  const isRunning = useSignal(false)
  const found = useData(
    async () => {
      const { data } = await client.console(({ tools }) => tools.list({}))
      return data.find((one) => one.server === server) ?? null
    },
    { by: [server] }
  )
  const run = async (change: () => Promise<unknown>) => {
    isRunning.value = true
    complaint.value = ""
    try {
      await change()
    } catch (error) {
      complaint.value = error instanceof Refused ? error.message : words.failed.unknown
    } finally {
      isRunning.value = false
    }
  }
  const connect = () =>
    run(async () => {
      const begun = await client.console(({ tools }) => tools.connect({ path: { server } }))
      location.assign(begun.location)
    })
  const disconnect = () =>
    run(async () => {
      await client.console(({ tools }) => tools.disconnect({ path: { server } }))
      await found.again()
    })
  return (
    <Part of={found} what={text.title}>
      {(own) => (
        <>
          {own === null || own.connected_at === null ? (
            <p>{text.none}</p>
          ) : (
            <p>
              {text.since} <When at={own.connected_at} suffix="ago" />
            </p>
          )}
          {own?.wants_more === true && <Status tone="warn">{text.wantsMore}</Status>}
          {own !== null && own.failing_since !== null && (
            <Status tone="bad">
              {text.failing} <When at={own.failing_since} suffix="ago" />
            </Status>
          )}
          <Complaint of={complaint.value} />
          <div class="actions">
            <Button look="primary" disabled={isRunning.value} onClick={() => void connect()}>
              {own === null || own.connected_at === null ? text.connect : text.again}
            </Button>
            {own !== null && own.connected_at !== null && (
              <Button disabled={isRunning.value} onClick={() => void disconnect()}>
                {text.disconnect}
              </Button>
            )}
          </div>
        </>
      )}
    </Part>
  )
}
