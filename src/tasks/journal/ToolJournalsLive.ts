import { Clock, Effect, Layer, Schedule, Schema } from "effect"
import { isJsonObject } from "../../contract/fields.ts"
import type { JournalOwner } from "../../contract/JournalOwner.ts"
import { Internal } from "../../contract/failures/Failure.ts"
import { daemon } from "../../flow/daemon.ts"
import { Daemons } from "../../flow/Daemons.ts"
import { backoff } from "../../flow/schedules.ts"
import { noUsage } from "../../generation/GenerationEvent.ts"
import type { Usage } from "../../generation/GenerationEvent.ts"
import { Commits } from "../../sql/Commits.ts"
import type { JournalRound, JournalUse, OpenJournal } from "../../tools/journal/RoundJournal.ts"
import { ToolJournals } from "../../tools/journal/ToolJournals.ts"
import { RequestSeal } from "../RequestSeal.ts"
import { readable } from "../StoredRequest.ts"
import { UnitOfWork } from "../UnitOfWork.ts"
import { makeRoundStore } from "./store/RoundStore.ts"

/** For a short outage of the database: a call that can't be stored can't be made either. */
const patience = Schedule.spaced("100 millis").pipe(Schedule.upTo("10 seconds"))

/** The journals of calls in the database, and their end. */
export const ToolJournalsLive = Layer.scoped(
  ToolJournals,
  Effect.gen(function* () {
    const store = yield* makeRoundStore
    const commits = yield* Commits
    const unit = yield* UnitOfWork
    const seal = yield* RequestSeal

    const open = (owner: JournalOwner): Effect.Effect<OpenJournal, Internal> =>
      Effect.gen(function* () {
        const rows = yield* store.find(owner.id)
        const rounds = yield* Effect.forEach(rows, ({ items, round }) =>
          Effect.flatMap(seal.open(aboutOf(owner, round), items), decodeRound)
        )
        const last = rows.at(-1)
        const use = last === undefined ? unused : yield* decodeUse(last.used)
        owner.opened?.(store.remove(owner.id))
        return { rounds, use, begin: write(owner, "begin"), end: write(owner, "end") }
      }).pipe(Effect.catchAll(failed))

    const write =
      (owner: JournalOwner, step: "begin" | "end") =>
      (number: number, round: JournalRound, use: JournalUse): Effect.Effect<void, Internal> =>
        Effect.gen(function* () {
          const items = yield* seal.seal(aboutOf(owner, number), round)
          const { account, expires, id } = owner
          const row = { owner: id, account, round: number, items, used: JSON.stringify(use), expires }
          const nowMs = yield* Clock.currentTimeMillis
          const written =
            step === "end"
              ? store.update(row)
              : Effect.filterOrFail(
                  store.insert(row, nowMs),
                  (isNew) => isNew,
                  () => "another run has stored this round" as const
                )
          yield* unit
            .commit(Effect.zipRight(owner.held, written))
            .pipe(Effect.retry({ schedule: patience, while: isOutage }))
        }).pipe(Effect.catchAll(failed))

    const expiry = Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
      Effect.map(commits.commit(store.purge(nowMs)), (removed) => Effect.sleep(removed > 0 ? "50 millis" : "1 minute"))
    )
    yield* daemon("tools.journals", expiry, backoff)
    return ToolJournals.of({ open, remove: store.remove })
  })
).pipe(Layer.provide([UnitOfWork.Default, Commits.Default, Daemons.Default]))

const unused: JournalUse = { used: noUsage, called: noUsage }

/** A round opens only at its place. */
const aboutOf = ({ id }: JournalOwner, round: number) => `tool_rounds ${id} ${round}`

const isOutage = (error: unknown): boolean => isTagged(error, "StoreFailure")

const isTagged = (error: unknown, tag: string): boolean =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === tag

/** The gateway sealed it itself, so checking the outline is enough. */
const ownJson = <A extends object>(isIt: (value: Readonly<Record<string, unknown>>) => boolean) =>
  Schema.declare((value): value is A => isJsonObject(value) && isIt(value))

const Round = ownJson<JournalRound>(
  ({ calls, said, shown }) => Array.isArray(calls) && Array.isArray(said) && Array.isArray(shown)
)
const Counted = ownJson<Usage>(({ inputTokens, outputTokens }) => [inputTokens, outputTokens].every(Number.isInteger))
const decodeRound = (round: unknown) => readable(Schema.decodeUnknown(Round)(round))
const decodeUse = (text: string): Effect.Effect<JournalUse> =>
  readable(Schema.decodeUnknown(Schema.parseJson(Use))(text))
const Use = Schema.Struct({
  used: Counted,
  called: Counted,
  why: Schema.optionalWith(Schema.Literal("number", "input", "output", "searches", "calls", "untold"), { exact: true })
})

/** A run that has lost its request ends, and so does one whose calls can't be stored. */
const failed = (cause: unknown): Effect.Effect<never, Internal> =>
  Effect.zipRight(Effect.logWarning("the journal of a request's calls can't be written", cause), new Internal({}))
