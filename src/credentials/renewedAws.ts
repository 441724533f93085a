import { Effect } from "effect"
import type { AwsCredentialIdentity } from "@smithy/types"
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
        catch: (cause) =>
          new NoCredentials({
            message: `no AWS credentials: ${cause instanceof Error ? cause.message : String(cause)}`
          })
      }),
      (value) => ({ value, endsAtMs: value.expiration?.getTime() })
    ),
    offsetMs
  )
