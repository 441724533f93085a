/** Set for worker processes: `first` prints the start message, `another` does not. */
export const workerVariable = "_GATEWAY_WORKER"
