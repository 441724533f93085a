import { Command } from "@effect/cli"
import { Effect } from "effect"
import { administer } from "./administer.ts"
import { help, json, print } from "./options.ts"
import { Operator } from "./operator/Operator.ts"
import { id } from "./requestFilters.ts"
import { threadShown } from "./threadShown.ts"
import { noBodies, transcriptShown } from "./transcriptShown.ts"

export const requestConversation = Command.make("conversation", { id, json }, ({ id, json }) =>
  administer(
    Effect.gen(function* () {
      const { requests } = yield* Operator
      const request = yield* requests.show(id)
      const { account, bodies, conversation } = request
      const thread = conversation === null ? undefined : yield* requests.conversation(account, conversation)
      yield* print(json, { request, thread: thread ?? null }, () =>
        [
          ...(thread === undefined ? ["No other request is known of its conversation."] : [threadShown(thread, id)]),
          "",
          bodies === null ? noBodies(account) : transcriptShown(bodies)
        ].join("\n")
      )
    })
  )
).pipe(
  Command.withDescription(
    help("Show what was said, and the session's requests.", "gateway requests conversation req_…")
  )
)
