export * from 'detent/client';
