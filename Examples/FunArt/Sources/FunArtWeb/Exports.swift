// In Carillon's own tests the modules have other names. An app of your own imports FunArt and FunArtApp in the files that
// use them.
#if canImport(SampledFunArtApp)
@_exported public import SampledFunArt
@_exported public import SampledFunArtApp
#else
@_exported public import FunArt
@_exported public import FunArtApp
#endif
