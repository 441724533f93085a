import { Database } from "bun:sqlite"

/** What the thread that checkpoints is asked: to do so with a file, or to close the one it has. */
export type Order = { readonly file: string } | { readonly close: true }

/** What became of it. */
export type Done = { readonly done: true } | { readonly failed: string }

let database: Database | undefined

const carriedOut = (order: Order): Done => {
  if ("close" in order) {
    database?.close()
    database = undefined
    return { done: true }
  }
  database ??= new Database(order.file, { readwrite: true, create: false })
  // The second round has what was committed during the first.
  for (let round = 0; round < 2; round++) database.run("PRAGMA wal_checkpoint(PASSIVE)")
  return { done: true }
}

self.addEventListener("message", ({ data }: MessageEvent<Order>) => {
  try {
    answer(carriedOut(data))
  } catch (cause) {
    answer({ failed: String(cause) })
  }
})

const answer = (done: Done) => self.postMessage(done, { transfer: [] })
