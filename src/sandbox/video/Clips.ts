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

/** The folder of its files in the gateway's storage. */
const room = "videos"

interface Options {
  readonly orders: Effect.Effect<Orders, never, Scope.Scope>
  /** How long a clip's links work after rendering. */
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

  /** Stores an order under a new id, the task's id with an unguessable suffix. Synchronous where the storage allows. */
  const create = (taskId: string, order: Order): Effect.Effect<string, OrdersUnavailable> => {
    const id = `${taskId}-${Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("hex")}`
    const written = write(id, order)
    const exit = exitOf(written)
    return exit === undefined ? Effect.as(written, id) : Exit.as(exit, id)
  }

  const read = (id: string): Effect.Effect<Option.Option<Order>, OrdersUnavailable> =>
    isId(id) ? orders.read(id) : Effect.succeedNone

  /** Stores a rendered clip: files first, then the record that they exist. */
  const keep = Effect.fnUntraced(function* (
    id: string,
    content: Order,
    clip: Clip
  ): Effect.fn.Return<void, OrdersUnavailable | NotKept | FilesUnavailable> {
    if (clip.lastFrame !== null) yield* store(keyOf(id, lastFrameFile), "image", clip.lastFrame)
    yield* store(keyOf(id, videoFile), "video", clip.video)
    yield* write(id, { ...content, renderedAtMs: yield* Clock.currentTimeMillis })
  })

  /** When its files expire, and then the order. */
  const endOf = (content: Order) =>
    content.renderedAtMs === null ? content.deadlineMs : content.renderedAtMs + lifetimeMs

  const isOver = (content: Order, nowMs: number) => nowMs >= endOf(content)

  /** A clip's file while its links work. The order of another node is unknown here; the file is enough. */
  const file = Effect.fnUntraced(function* (
    id: string,
    name: string
  ): Effect.fn.Return<Option.Option<StoredFile>, FilesUnavailable> {
    if (!isId(id) || (name !== videoFile && name !== lastFrameFile)) return Option.none()
    const nowMs = yield* Clock.currentTimeMillis
    const ordered = yield* Effect.orElseSucceed(read(id), () => Option.none())
    if (Option.exists(ordered, (one) => one.renderedAtMs === null || isOver(one, nowMs))) return Option.none()
    const stored = yield* files.find(keyOf(id, name))
    return Option.filter(stored, ({ modifiedMs }) => Option.isSome(ordered) || nowMs < modifiedMs + lifetimeMs)
  })

  const sweep = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    for (const id of yield* orders.over(nowMs)) {
      const remove = Effect.all([
        files.remove(keyOf(id, videoFile)),
        files.remove(keyOf(id, lastFrameFile)),
        orders.remove(id)
      ])
      // A failure must not stop the other removals.
      yield* Effect.catchAll(remove, (error) => Effect.logWarning("a clip was not removed", error.message))
    }
    yield* Effect.forEach(yield* files.older(room, nowMs - lifetimeMs), unordered, { discard: true })
  })

  /** True if a clip without an order here has expired: the order was removed, or belongs to another node. */
  const unordered = (key: string) =>
    Effect.flatMap(read(key.split("/")[1] ?? ""), (order) => (Option.isSome(order) ? Effect.void : files.remove(key)))

  yield* daemon("sandboxClips", Effect.as(sweep, Effect.sleep("1 hour")), backoff)

  return { create, read, write, idOf: orders.idOf, keep, file, sweep, lifetimeMs } as const
})

/** The sandbox's clips in the gateway's file storage, and the orders for them. */
export class Clips extends Context.Tag("gateway/sandbox/video/Clips")<
  Clips,
  Effect.Effect.Success<ReturnType<typeof make>>
>() {
  /** For the processes of one machine, with orders in a folder. */
  static readonly local = (directory: string, lifetime: Duration.DurationInput) =>
    Layer.scoped(Clips, make({ orders: localOrders(directory), lifetime })).pipe(Layer.provide(Daemons.Default))

  /** Orders in a folder for one process, in the database for several. */
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

/** True for an id of ours, which therefore cannot be a path. */
const isId = (id: string): boolean => /^[\w-]{33,200}$/.test(id)
