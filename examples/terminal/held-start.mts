/**
 * Can hold a command between its start and the answer that says which process it is: who kills the
 * program meanwhile leaves an operation of which the journal cannot know whether it was started.
 */
export class HeldStart {
  holdsNext = false;
  onHeld: (operationId: string) => void = () => {};

  readonly onStarted = (operationId: string, signal: AbortSignal): Promise<void> | undefined => {
    if (!this.holdsNext) return undefined;
    this.holdsNext = false;
    this.onHeld(operationId);
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  };
}
