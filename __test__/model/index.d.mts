// The model declares exactly what the package does.
export * from '../../index.js';
