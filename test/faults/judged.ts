import type { Row } from "./audit.ts"
import type { Told } from "./clients.ts"
import type { OutsideLog } from "./outside.ts"

/** What clients were told, what is stored, what was seen outside, and which accepted tasks nobody answers for. */
interface Evidence {
  readonly told: Told
  readonly rows: ReadonlyArray<Row>
  readonly log: OutsideLog
  readonly missing: ReadonlyArray<string>
}

/** How so many tasks ended. */
export interface Ending {
  readonly kind: string
  readonly state: string
  readonly code: string
  n: number
}

const ranks: Readonly<Record<string, number>> = { queued: 0, running: 1 }
const rankOf = (status: string) => ranks[status] ?? 2

/** Compares them: how the tasks ended, and everything that must be zero. */
export const judged = ({ log, missing, rows, told }: Evidence) => {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const videos = rows.filter((row) => row.kind === "video" && row.ended_at !== null)
  const submits = Map.groupBy(log.submits, ({ prompt }) => prompt)
  const calls = Map.groupBy(log.callbacks, ({ task }) => task)
  const stopped = new Set(log.cancelled)
  const bodies = Map.groupBy(log.callbacks, ({ id }) => id)
  const endings: Array<Ending> = []
  for (const { error, kind, state } of rows) {
    const code = error === null ? "" : (JSON.parse(error) as { code: string }).code
    const same = endings.find((one) => one.kind === kind && one.state === state && one.code === code)
    if (same === undefined) endings.push({ kind, state, code, n: 1 })
    else same.n++
  }
  const callsOf = (id: string) => calls.get(id) ?? []
  const isOutOfOrder = (id: string) => {
    const ranked = callsOf(id).map(({ status }) => rankOf(status))
    return ranked.some((rank, index) => rank < Math.max(...ranked.slice(0, index)))
  }
  const twice = [...submits].filter(([, videos]) => videos.length > 1)
  const ownerOf = (id: string) => {
    const owner = rows.find((row) => row.upstream_id === id)
    return owner === undefined ? `${id} of no task` : `${id} of ${owner.id} (${owner.state})`
  }
  return {
    endings,
    /** What was submitted twice, and whose it is. */
    twice: twice.map(([prompt, videos]) => `"${prompt}" is ${videos.map(({ id }) => ownerOf(id)).join(" and ")}`),
    mustBeZero: {
      lost: missing.length,
      "submitted twice": twice.length,
      "one video for two tasks":
        rows.filter((row) => row.upstream_id !== null).length -
        new Set(rows.flatMap((row) => row.upstream_id ?? [])).size,
      "somebody else's video": log.submits.filter(({ id, prompt }) => {
        const owner = rows.find((row) => row.upstream_id === id)?.id ?? ""
        return (told.accepted.get(owner)?.prompt ?? prompt) !== prompt
      }).length,
      "cancelled and yet not": [...told.cancelled].filter((id) => byId.get(id)?.state !== "cancelled").length,
      "cancelled here alone": videos.filter(
        (row) => row.state === "cancelled" && row.upstream_id !== null && !stopped.has(row.upstream_id)
      ).length,
      "delivered never": videos.filter(
        (row) => !callsOf(row.id).some((call) => call.status === row.state && call.answered === 200)
      ).length,
      "delivered out of order": videos.filter((row) => isOutOfOrder(row.id)).length,
      "delivered as other ends": videos.filter((row) =>
        callsOf(row.id).some((call) => rankOf(call.status) === 2 && call.status !== row.state)
      ).length,
      "one id, other bytes": [...bodies.values()].filter((same) => new Set(same.map((call) => call.body)).size > 1)
        .length,
      "signatures that do not verify": log.callbacks.filter(({ verified }) => !verified).length
    }
  }
}
