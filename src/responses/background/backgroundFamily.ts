import { InvalidRequest } from "../../contract/failures/Failure.ts"
import type { TextFamily } from "../../pipeline/TextFamily.ts"
import type { CreateResponse } from "../CreateResponse.ts"
import type { Replay } from "../decode.ts"
import { encodedOf } from "../encoding.ts"
import type { Encoded, State } from "../encoding.ts"
import type { InitialFields } from "../initialResponse.ts"
import type { PassingState } from "../passthrough.ts"
import { prepare } from "../prepare.ts"
import type { Replays } from "../replays.ts"

/** The family for a response that already has its id, and whose task stores the result. */
export const backgroundFamily = (
  replays: Replays,
  birth: InitialFields
): TextFamily<CreateResponse, Replay, State, PassingState, Encoded> => ({
  dialect: "responses",
  heartbeat: "",
  lookUp: (input) => replays.lookUp(input),
  understand: ({ payload, request }, found) => {
    const prepared = prepare(payload, request, found, birth)
    if (prepared instanceof InvalidRequest) return prepared
    const { machine, passing, text } = prepared
    return {
      ...text,
      translated: () => ({ machine, answer: encodedOf }),
      passed: () => ({
        machine: passing.machine,
        answer: () => ({ output: passing.output(), response: passing.response() })
      })
    }
  }
})
