/** Messages between `aish-tui acp` and the process of one of its sessions, both Node processes. */
import type {
  RequestPermissionOutcome,
  RequestPermissionRequest,
  SessionModeState,
  SessionUpdate,
  StopReason,
} from '@agentclientprotocol/sdk';

export type ToSession =
  | { readonly kind: 'prompt'; readonly prompt: number; readonly text: string }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'mode'; readonly mode: string; readonly change: number }
  | { readonly kind: 'answer'; readonly question: number; readonly outcome: RequestPermissionOutcome };

export type FromSession =
  | { readonly kind: 'ready'; readonly modes: SessionModeState }
  | { readonly kind: 'problem'; readonly text: string }
  | { readonly kind: 'update'; readonly update: SessionUpdate }
  | {
      readonly kind: 'ask';
      readonly question: number;
      readonly request: Omit<RequestPermissionRequest, 'sessionId'>;
    }
  | { readonly kind: 'ended'; readonly prompt: number; readonly reason: StopReason }
  /** `text`: why the mode did not change; undefined on success. */
  | { readonly kind: 'changed'; readonly change: number; readonly text?: string };
