package import Foundation
import UserNotifications

/// The simulated location of a phone, with its authorization.
///
/// Unchecked: `lock` protects everything.
package final class SimulatedCompass: SimulatedPart, @unchecked Sendable {
    private let lock = NSLock()
    private var place: (latitude: Double, longitude: Double, at: Date)?
    private var answer = CLAuthorizationStatus.authorizedWhenInUse
    private var known = CLAuthorizationStatus.notDetermined
    private var prompts = 0

    package init() {}

    /// Sets the phone's location.
    package func put(latitude: Double, longitude: Double, at time: Date) {
        lock.withLock { place = (latitude, longitude, time) }
    }

    /// The person's answer to the prompt.
    package var promptAnswer: CLAuthorizationStatus {
        get { lock.withLock { answer } }
        set { lock.withLock { answer = newValue } }
    }

    /// How often the person was asked.
    package var promptCount: Int { lock.withLock { prompts } }

    var status: CLAuthorizationStatus { lock.withLock { known } }

    /// - Returns: Whether the person was asked.
    func prompt() -> Bool {
        lock.withLock {
            guard known == .notDetermined else { return false }
            prompts += 1
            known = answer
            return true
        }
    }

    func find() -> Result<CLLocation, CLError> {
        lock.withLock {
            guard known == .authorizedWhenInUse || known == .authorizedAlways else { return .failure(CLError(.denied)) }
            guard let place else { return .failure(CLError(.locationUnknown)) }
            let coordinate = CLLocationCoordinate2D(latitude: place.latitude, longitude: place.longitude)
            return .success(CLLocation(coordinate, accuracy: 100, at: place.at))
        }
    }
}
