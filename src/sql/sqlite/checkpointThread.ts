import { Database } from "bun:sqlite"

/** What the thread that checkpoints is asked: to do so with a file, or to close the one it has. */
export type Order = { readonly file: string } | { readonly close: true }

/** What became of it: how many pages the log had, or why nothing did. */
export type Done = { readonly pages: number } | { readonly failed: string }

let database: Database | undefined

const carriedOut = (order: Order): Done => {
  if ("close" in order) {
    database?.close()
    database = undefined
    return { pages: 0 }
  }
  database ??= new Database(order.file, { readwrite: true, create: false })
  const checkpoint = database.query<{ log: number }, []>("PRAGMA wal_checkpoint(PASSIVE)")
  const pages = checkpoint.get()?.log ?? 0
  // Once more, for what was committed meanwhile.
  checkpoint.get()
  return { pages }
}

self.addEventListener("message", ({ data }: MessageEvent<Order>) => {
  try {
    answer(carriedOut(data))
  } catch (cause) {
    answer({ failed: String(cause) })
  }
})

const answer = (done: Done) => self.postMessage(done, { transfer: [] })
