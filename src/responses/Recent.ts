import { mostConversationBytes } from "../generation/mostBytes.ts"
import type { Replay } from "./decode.ts"
import type { OutputItem } from "./ResponseObject.ts"
import type { History } from "./store/ResponseStore.ts"

/** A response that is not stored, with the conversation that ends with it. */
interface Remembered extends History {
  readonly id: string
}

/** The last unstored response of each socket. It can be continued on that socket while it is open, and nowhere else. */
export class Recent {
  readonly #last = new WeakMap<object, Remembered>()

  /** The conversation that ends with this response, if it is the socket's last one. */
  recall(connection: object | undefined, id: string | null | undefined): History | undefined {
    const last = connection === undefined ? undefined : this.#last.get(connection)
    return last?.id === id ? last : undefined
  }

  remember(
    connection: object | undefined,
    id: string,
    { first = id, history, input }: Replay,
    output: ReadonlyArray<OutputItem>
  ): void {
    if (connection === undefined) return
    const items = [...history, ...input, ...output]
    // The same limit as for stored conversations.
    if (JSON.stringify(items).length > mostConversationBytes) this.#last.delete(connection)
    else this.#last.set(connection, { id, first, items })
  }

  /** Forgets the response that a failed request wanted to continue. */
  forget(connection: object | undefined, id: string | null | undefined): void {
    if (connection !== undefined && this.recall(connection, id) !== undefined) this.#last.delete(connection)
  }
}
