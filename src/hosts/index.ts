export { absentHost } from './absent.ts';
