#if canImport(UIKit)
import CarillonPages

@MainActor
func use(_ survey: SurveyController) -> SurveyViewController { SurveyViewController(survey) }
#endif
