#if canImport(UIKit)
import Carillon
import CarillonLocation

@MainActor
func use(_ app: CarillonApp) async throws { _ = try await app.reportCurrentLocation() }
#endif
