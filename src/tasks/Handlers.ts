import { Effect, Option } from "effect"
import * as Eager from "../contract/eager.ts"
import { NotFound } from "../contract/Failure.ts"
import { handlers } from "../contract/handlers.ts"
import { TasksApi } from "./Api.ts"
import { messageKindName, messageRecord } from "./MessageKind.ts"
import { TaskStore } from "./TaskStore.ts"

export const TasksHandlers = handlers(
  TasksApi,
  Effect.gen(function* () {
    const store = yield* TaskStore
    const read = store.reader(messageKindName, messageRecord)
    return {
      find: ({ caller, path }) =>
        Eager.flatMap(Eager.orDie(read(caller.account, path.id)), (found) =>
          Option.isSome(found)
            ? Effect.succeed(found.value)
            : Effect.fail(new NotFound({ message: `No task with the id "${path.id}"`, param: null }))
        )
    }
  })
)
