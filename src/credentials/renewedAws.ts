import { Effect } from "effect"
import type { AwsCredentialIdentity } from "@smithy/types"
import { numberAt, objectAt } from "../contract/json.ts"
import { NoCredentials } from "./Auth.ts"
import { awsCredentials } from "./awsCredentials.ts"
import type { AwsSettings } from "./awsCredentials.ts"
import { renewed } from "./Renewed.ts"
import type { Source } from "./Source.ts"

/**
 * AWS's credentials, renewed ahead of their end.
 *
 * @param offsetMs the known correction of this machine's clock
 */
export const renewedAws = (settings: AwsSettings, source: Source, offsetMs: () => number = () => 0) =>
  renewed<AwsCredentialIdentity>(
    Effect.map(
      Effect.tryPromise({
        try: () => awsCredentials(settings, source, offsetMs()),
        catch: noCredentials
      }),
      (value) => ({ value, endsAtMs: value.expiration?.getTime() })
    ),
    offsetMs
  )

/** An outage: the token service did not answer, or failed by its own fault. */
const noCredentials = (cause: unknown): NoCredentials => {
  // AWS's library hides answers that it cannot read, such as those of a load balancer.
  const status = numberAt(objectAt(cause, "$response"), "statusCode") ?? 0
  const failed = status >= 500 ? `their service answers with status ${status}` : undefined
  return new NoCredentials({
    message: `no AWS credentials: ${failed ?? (cause instanceof Error ? cause.message : String(cause))}`,
    isOutage: failed !== undefined || (cause instanceof NoCredentials && cause.isOutage === true)
  })
}
