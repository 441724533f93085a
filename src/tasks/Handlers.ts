import { Effect, Option } from "effect"
import { NotFound } from "../contract/Failure.ts"
import { handlers } from "../contract/handlers.ts"
import { TasksApi } from "./Api.ts"
import { messageKindName, messageRecord } from "./MessageKind.ts"
import { TaskStore } from "./TaskStore.ts"

export const TasksHandlers = handlers(
  TasksApi,
  Effect.gen(function* () {
    const store = yield* TaskStore
    return {
      find: ({ caller, path }) =>
        Effect.flatMap(
          Effect.orDie(store.find(caller.account, messageKindName, path.id)),
          Option.match({
            onNone: () => Effect.fail(new NotFound({ message: `No task with the id "${path.id}"`, param: null })),
            onSome: (task) => Effect.succeed(messageRecord(task))
          })
        )
    }
  })
)
