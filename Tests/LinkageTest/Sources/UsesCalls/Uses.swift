#if canImport(UIKit)
import CarillonCalls

@MainActor
func use(_ calls: CarillonVoIP) { calls.start() }
#endif
