import { Clock, Context, Duration, Effect, Exit, Layer, Option } from "effect"
import type { Scope } from "effect"
import { SqlClient } from "@effect/sql"
import { exitOf } from "../../flow/exitOf.ts"
import { daemon } from "../../flow/daemon.ts"
import { Daemons } from "../../flow/Daemons.ts"
import { backoff } from "../../flow/schedules.ts"
import type { FilesUnavailable, StoredFile } from "../../files/Files.ts"
import { FileStore } from "../../files/FileStore.ts"
import type { NotKept } from "../../files/NotKept.ts"
import { localOrders, movedOrders } from "./localOrders.ts"
import type { Order, Orders, OrdersUnavailable } from "./Order.ts"
import type { Clip } from "./scene.ts"
import { sharedOrders } from "./store/sharedOrders.ts"

export const videoFile = "video.mp4"
export const lastFrameFile = "last_frame.png"

/** Where its files are among the gateway's. */
const room = "videos"

interface Options {
  readonly orders: Effect.Effect<Orders, never, Scope.Scope>
  /** How long a clip's links work after it was rendered. */
  readonly lifetime: Duration.DurationInput
}

const make = Effect.fnUntraced(function* (options: Options) {
  const files = yield* FileStore
  const lifetimeMs = Duration.toMillis(options.lifetime)
  const keyOf = (id: string, name: string) => `${room}/${id}/${name}`
  const orders = yield* options.orders

  const store = (key: string, is: "video" | "image", bytes: Uint8Array) => {
    const pieces = [bytes]
    const read = () => Promise.resolve(pieces.pop())
    return files.write(key, { read, is, maxBytes: Infinity, freeBytes: 0, synced: false })
  }

  const write = (id: string, order: Order): Effect.Effect<void, OrdersUnavailable> =>
    orders.write({ id, taskId: id.slice(0, -33), order, endsAtMs: endOf(order) })

  /** Keeps an order under a new id that begins with the task's and can't be guessed. Done at once, where it can be. */
  const create = (taskId: string, order: Order): Effect.Effect<string, OrdersUnavailable> => {
    const id = `${taskId}-${Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("hex")}`
    const written = write(id, order)
    const known = exitOf(written)
    return known === undefined ? Effect.as(written, id) : Exit.as(known, id)
  }

  const read = (id: string): Effect.Effect<Option.Option<Order>, OrdersUnavailable> =>
    isId(id) ? orders.read(id) : Effect.succeedNone

  /** Stores what was rendered: the pictures first, the word that they are there last. */
  const keep = Effect.fnUntraced(function* (
    id: string,
    content: Order,
    clip: Clip
  ): Effect.fn.Return<void, OrdersUnavailable | NotKept | FilesUnavailable> {
    if (clip.lastFrame !== null) yield* store(keyOf(id, lastFrameFile), "image", clip.lastFrame)
    yield* store(keyOf(id, videoFile), "video", clip.video)
    yield* write(id, { ...content, renderedAtMs: yield* Clock.currentTimeMillis })
  })

  /** When its files are removed, and then it. */
  const endOf = (content: Order) =>
    content.renderedAtMs === null ? content.deadlineMs : content.renderedAtMs + lifetimeMs

  const isOver = (content: Order, nowMs: number) => nowMs >= endOf(content)

  /** A clip's file, while its links work. What was ordered at another node is known by its file alone. */
  const file = Effect.fnUntraced(function* (
    id: string,
    name: string
  ): Effect.fn.Return<Option.Option<StoredFile>, FilesUnavailable> {
    if (!isId(id) || (name !== videoFile && name !== lastFrameFile)) return Option.none()
    const nowMs = yield* Clock.currentTimeMillis
    const ordered = yield* Effect.orElseSucceed(read(id), () => Option.none())
    if (Option.exists(ordered, (one) => one.renderedAtMs === null || isOver(one, nowMs))) return Option.none()
    const found = yield* files.find(keyOf(id, name))
    return Option.filter(found, ({ modifiedMs }) => Option.isSome(ordered) || nowMs < modifiedMs + lifetimeMs)
  })

  const sweep = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    for (const id of yield* orders.over(nowMs)) {
      const remove = Effect.all([
        files.remove(keyOf(id, videoFile)),
        files.remove(keyOf(id, lastFrameFile)),
        orders.remove(id)
      ])
      // One that can't be removed keeps nobody from removing the others.
      yield* Effect.catchAll(remove, (error) => Effect.logWarning("a clip was not removed", error.message))
    }
    yield* Effect.forEach(yield* files.older(room, nowMs - lifetimeMs), unordered, { discard: true })
  })

  /** One that is over although no order here says so: its node's orders are gone, or elsewhere. */
  const unordered = (key: string) =>
    Effect.flatMap(read(key.split("/")[1] ?? ""), (order) => (Option.isSome(order) ? Effect.void : files.remove(key)))

  yield* daemon("sandboxClips", Effect.as(sweep, Effect.sleep("1 hour")), backoff)

  return { create, read, write, idOf: orders.idOf, keep, file, sweep, lifetimeMs } as const
})

/** The sandbox's clips, where the gateway's files live, and what is known of those that were ordered here. */
export class Clips extends Context.Tag("gateway/sandbox/video/Clips")<
  Clips,
  Effect.Effect.Success<ReturnType<typeof make>>
>() {
  /** Of the processes of one machine, which keep what they know in a folder. */
  static readonly local = (directory: string, lifetime: Duration.DurationInput) =>
    Layer.scoped(Clips, make({ orders: localOrders(directory), lifetime })).pipe(Layer.provide(Daemons.Default))

  /** As the database has it: what one process serves is in a folder, what many serve is in the database. */
  static readonly layer = (directory: string, lifetime: Duration.DurationInput) =>
    Layer.scoped(
      Clips,
      Effect.flatMap(SqlClient.SqlClient, (sql) => {
        const orders: Effect.Effect<Orders, never, Scope.Scope> = sql.onDialectOrElse({
          pg: () => movedOrders(directory, sharedOrders(sql)),
          orElse: () => localOrders(directory)
        })
        return make({ orders, lifetime })
      })
    ).pipe(Layer.provide(Daemons.Default))
}

/** One of ours, and so never a path to somewhere else. */
const isId = (id: string): boolean => /^[\w-]{33,200}$/.test(id)
