import type { Row } from "./audit.ts"
import type { Told } from "./clients.ts"
import type { OutsideLog } from "./outside.ts"

/** Compares answers, stored rows and effects outside, and finds accepted tasks that were lost. */
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
  const storyOf = (upstreamId: string) => {
    const owners = rows.filter((row) => row.upstream_id === upstreamId)
    const told = owners.length === 0 ? "no task" : owners.map(({ id, state }) => `${id} (${state})`).join(" and ")
    return `${upstreamId} of ${told}`
  }
  const callsInWords = (id: string) =>
    callsOf(id)
      .map(({ answered, id: delivery, status }) => `${status} ${answered} ${delivery}`)
      .join(", ")
  const taken = rows.flatMap((row) => row.upstream_id ?? [])

  /** What went wrong, one line each. */
  const wrongs: Readonly<Record<string, ReadonlyArray<string>>> = {
    lost: missing,
    "submitted twice": [...submits].flatMap(([prompt, made]) =>
      made.length === 1 ? [] : [`"${prompt}" is ${made.map(({ id }) => storyOf(id)).join(" and ")}`]
    ),
    "one upstream id, several videos": [...Map.groupBy(log.submits, ({ id }) => id)].flatMap(([id, made]) =>
      made.length === 1 ? [] : [`${id} is ${made.map(({ prompt }) => `"${prompt}"`).join(" and ")}`]
    ),
    "one video for two tasks": taken.flatMap((id, index) => (taken.indexOf(id) === index ? [] : [storyOf(id)])),
    "another task's video": log.submits.flatMap(({ id, prompt }) => {
      const asked = told.accepted.get(rows.find((row) => row.upstream_id === id)?.id ?? "")?.prompt ?? prompt
      return asked === prompt ? [] : [`"${prompt}" is ${storyOf(id)}, which asked for "${asked}"`]
    }),
    "cancelled and yet not": [...told.cancelled].filter((id) => byId.get(id)?.state !== "cancelled"),
    "cancelled unasked": videos.flatMap(({ id, state, upstream_id }) =>
      state === "cancelled" && !told.askedToCancel.has(id) ? [`${id} with ${upstream_id}`] : []
    ),
    "cancelled here alone": videos.flatMap(({ id, state, upstream_id }) =>
      state === "cancelled" && upstream_id !== null && !stopped.has(upstream_id) ? [`${upstream_id} of ${id}`] : []
    ),
    "delivered never": videos.flatMap(({ id, state }) =>
      callsOf(id).some((call) => call.status === state && call.answered === 200)
        ? []
        : [`${id} (${state}): ${callsInWords(id)}`]
    ),
    "delivered out of order": videos.flatMap(({ id }) => (isOutOfOrder(id) ? [`${id}: ${callsInWords(id)}`] : [])),
    "delivered as other ends": videos.flatMap(({ id, state }) =>
      callsOf(id).some((call) => rankOf(call.status) === 2 && call.status !== state)
        ? [`${id} (${state}): ${callsInWords(id)}`]
        : []
    ),
    "one id, other bytes": [...bodies].flatMap(([id, same]) =>
      new Set(same.map((call) => call.body)).size > 1 ? [id] : []
    ),
    "signatures that do not verify": log.callbacks.flatMap(({ id, verified }) => (verified ? [] : [id]))
  }
  return {
    endings,
    words: Object.entries(wrongs).flatMap(([what, all]) => all.map((one) => `${what}: ${one}`)),
    mustBeZero: Object.fromEntries(Object.entries(wrongs).map(([what, all]) => [what, all.length]))
  }
}
