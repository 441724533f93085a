import { useSignal } from "@preact/signals"
import type { TaskSummary } from "../../src/admin/TaskSummary.ts"
import { durationText, span } from "../format.ts"
import { Button } from "../parts/Button.tsx"
import { Status } from "../parts/Status.tsx"
import type { Tone } from "../parts/Status.tsx"
import { SmallTable } from "../parts/Table.tsx"
import { Faint } from "../parts/text.tsx"
import type { TaskDelivery } from "../taskSource.ts"
import { words } from "../words/words.ts"

const text = words.task

const tones: Readonly<Record<TaskDelivery["state"], Tone>> = {
  waiting: "waiting",
  pending: "waiting",
  delivered: "well",
  failed: "bad",
  superseded: "off"
}

/** The last change whose delivery failed for good; undefined if all were delivered or still may be. */
export const lastUndelivered = (deliveries: ReadonlyArray<TaskDelivery>): TaskDelivery | undefined => {
  const last = deliveries.at(-1)
  return last?.state === "failed" ? last : undefined
}

const Tries = ({ of: { attempts, createdAt, nextAt, state } }: { readonly of: TaskDelivery }) => (
  <>
    <ol class="tries">
      {attempts.map(({ at, duration_ms, reason, status }, index) => {
        const isGood = status !== undefined && status < 300
        const offset = at * 1_000 - createdAt
        return (
          <li key={index}>
            <span class={isGood ? "" : "status bad"}>{status ?? text.noAnswer}</span>
            <Faint>
              {` ${durationText(duration_ms)}`}
              {offset >= 1_000 && ` · + ${span(offset)}`}
              {reason !== undefined && ` · ${reason}`}
            </Faint>
          </li>
        )
      })}
    </ol>
    {state === "pending" && nextAt !== undefined && nextAt > Date.now() && (
      <span class="hint">{text.nextTry(words.times.in(span(nextAt - Date.now())))}</span>
    )}
    {state === "failed" && <span class="hint">{text.givenUp}</span>}
    {state === "superseded" && <span class="hint">{text.laterOne}</span>}
  </>
)

type Redeliver = (delivery: TaskDelivery) => Promise<void>

const Again = ({ delivery, redeliver }: { readonly delivery: TaskDelivery; readonly redeliver: Redeliver }) => {
  const isSending = useSignal(false)
  return (
    <Button
      needs="adminOperations.redeliver"
      look="small"
      disabled={isSending.value}
      onClick={() => {
        isSending.value = true
        void redeliver(delivery).finally(() => (isSending.value = false))
      }}
    >
      {isSending.value ? text.sending : text.redeliver}
    </Button>
  )
}

/** One row per change, with every attempt, newest change first. */
export const Deliveries = ({
  deliveries,
  redeliver,
  task: { callback_url: url }
}: {
  readonly task: TaskSummary
  readonly deliveries: ReadonlyArray<TaskDelivery>
  readonly redeliver: Redeliver
}) => (
  <section>
    <div class="caption">
      <h2>{text.deliveries}</h2>
      {url !== null && <code class="quiet cut">{url}</code>}
    </div>
    {url === null ? (
      <p class="hint">{text.noCallback}</p>
    ) : (
      <SmallTable
        isPlain
        label={text.deliveries}
        heads={[["", "", 96], ["", "", 116], [""], ["", "right", 100]]}
        rows={deliveries.toReversed().map((delivery) => [
          delivery.status,
          <Status key="state" tone={tones[delivery.state]}>
            {text.states[delivery.state]}
          </Status>,
          <Tries key="tries" of={delivery} />,
          <Again key={delivery.id} delivery={delivery} redeliver={redeliver} />
        ])}
      />
    )}
  </section>
)
