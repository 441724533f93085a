/** How a worker knows that it is one: `first` says to the operator what a gateway says at its start, `another` nothing. */
export const workerVariable = "_GATEWAY_WORKER"
