import type { TracedCall } from "../contract/records/Trace.ts"
import type { Usage } from "../generation/GenerationEvent.ts"

/** Notes the answer of a traced call. */
export const tellCall = (
  call: TracedCall,
  status: number | undefined,
  message: string | undefined,
  requestId?: string
) => {
  call.status = status
  call.message = message
  call.upstreamRequestId = requestId
}

/** Ends a traced call. */
export const endCall = (call: TracedCall, error: string | undefined, used: Usage | undefined) => {
  call.endedAt = performance.now()
  call.error = error
  call.used = used
}
